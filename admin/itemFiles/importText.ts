/** What is said of an import. */
import type { Schemas } from '../../client/http/catalogClient.ts';
import type { ImportState, RejectedRow, StateIn } from '../../client/import/importState.ts';
import type { SheetColumn } from '../../client/sheet/readSheet.ts';

/** How many lines are shown of each kind. */
const maxShown = 20;

export type ImportCounts = Record<'created' | 'updated' | 'unchanged' | 'doneBefore' | 'rejected', number>;

/** What would be done, or is done by now. Rows were done before that this import, or another one of the day, had written. */
export function countsIn(state: ImportState): ImportCounts {
  if (state.step === 'looked') {
    const { new: created, changed, returning, unchanged, known, done, refused: rejected } = state.counts;
    return { created, updated: changed + returning, unchanged, doneBefore: known + done, rejected };
  }
  if (!('progress' in state)) return { created: 0, updated: 0, unchanged: 0, doneBefore: 0, rejected: 0 };
  const { created, updated, unchanged, done } = state.progress;
  return {
    created,
    updated,
    unchanged,
    doneBefore: done - created - updated - unchanged,
    rejected: state.rejected.length,
  };
}

const count = (number: number): string => Math.round(number).toLocaleString('en');

export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([name, number]) => (number > 0 ? `${count(number)} ${name === 'doneBefore' ? 'done before' : name}` : []))
    .join(', ') || 'no rows';

export function progressText(state: ImportState): string {
  if (state.step === 'looking') return `${count(state.total - state.looked)} rows to look at`;
  if (state.step !== 'sending') return '';
  const { left, rowsPerSecond: rate } = state.progress;
  const wait = rate > 0 ? `, ${count(left / rate)} s left` : '';
  return `${countsText(countsIn(state))}, ${count(rate)} rows a second${wait}`;
}

export const warningLines = ({ sheet, looks }: StateIn<'looked'>): string[] => [
  ...sheet.warnings.map(({ text }) => text),
  ...looks
    .flatMap(({ line, warning }) => (warning === undefined ? [] : [`Line ${line} ${warning.text}.`]))
    .slice(0, maxShown),
];

export const problemLines = (rejected: readonly RejectedRow[]): string[] =>
  rejected.slice(0, maxShown).map(({ line, problems }) => {
    const reasons = problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`.trim());
    return `Line ${line}: ${reasons.join('; ')}.`;
  });

export function lookLines(state: StateIn<'looked'>): string[] {
  const { doneBefore, rejected, created, unchanged } = countsIn(state);
  const { changed: updated, returning } = state.counts;
  const changed = state.looks.flatMap(({ line, id, changes = [] }) =>
    changes.length === 0 ? [] : [`Line ${line}: item ${id}: ${changes.map(changeText).join(', ')}.`],
  );
  const counts = { created, updated, 'brought back': returning, unchanged, doneBefore, rejected };
  return [...problemLines(state.rejected), ...changed.slice(0, maxShown), `Would be: ${countsText(counts)}.`];
}

const changeText = ({ field, path = '', from, to }: Schemas['FieldChange']): string =>
  from === undefined ? `${field}${path}` : `${field}${path} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`;

/** As a shell reads it. */
export const shellQuoted = (text: string): string =>
  /[^\w./-]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : text;

export const optionsText = (given: Readonly<Record<string, string | true | undefined>>): string =>
  Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` --${name}${value === true ? '' : ` ${shellQuoted(value)}`}`))
    .join('');

/** How to leave out the columns that are wrong in most of the rejected rows, and usually mean something else elsewhere. */
export function ignoreLines(meanings: readonly SheetColumn[], rejected: readonly RejectedRow[]): string[] {
  const isWrong = ({ target }: SheetColumn) =>
    ['type', 'category', 'unit', 'tag'].includes(target ?? '') &&
    rejected.filter(({ problems }) => problems.some(({ field }) => field === target)).length * 2 >= rejected.length;
  if (!meanings.some(isWrong)) return [];
  const columns = meanings.flatMap((column) => {
    if (isWrong(column)) return `${column.name}=ignore`;
    return column.why === 'said' ? `${column.name}=${column.target}` : [];
  });
  return [`To leave out what most of them have wrong: --columns ${shellQuoted(columns.join(','))}`];
}
