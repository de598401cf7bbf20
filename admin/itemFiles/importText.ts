/** An import's report, as text. */
import { shellQuoted } from '../../cli/print.ts';
import type { Schemas } from '../../client/http/catalogClient.ts';
import type { ImportState, StateIn } from '../../client/import/importState.ts';
import type { RejectedRow, RejectProblem } from '../../client/import/row.ts';
import type { RowChoices } from '../../client/import/sheetRows.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { groupBy } from '../../lib/item/lists.ts';
import { listed } from '../../lib/item/violation.ts';
import { count } from '../columns.ts';

/** The most lines that are shown of each kind. */
const maxShown = 20;

export type ImportCounts = Record<'created' | 'updated' | 'unchanged' | 'doneBefore' | 'rejected', number>;

/** Counts the rows of a preview, or those written so far. `doneBefore`: by an earlier run, or another import of the same day. */
export function countsIn(state: ImportState): ImportCounts {
  if (state.step === 'previewed') {
    const { create, update, reactivate, sending, unchanged, duplicate, done, rejected } = state.counts;
    const updated = update + reactivate + sending;
    return { created: create, updated, unchanged, doneBefore: duplicate + done, rejected };
  }
  if (!('progress' in state)) return { created: 0, updated: 0, unchanged: 0, doneBefore: 0, rejected: 0 };
  const { created, updated, unchanged, done } = state.progress;
  const doneBefore = done - created - updated - unchanged;
  return { created, updated, unchanged, doneBefore, rejected: state.rejected.length };
}

export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([name, number]) => (number > 0 ? `${count(number)} ${name === 'doneBefore' ? 'done before' : name}` : []))
    .join(', ') || 'no rows';

export function progressText(state: ImportState): string {
  if (state.step === 'previewing') return `${count(state.total - state.previewed)} rows to preview`;
  if (state.step !== 'sending') return '';
  const { left, rowsPerSecond: rate } = state.progress;
  const wait = rate > 0 ? `, ${count(left / rate)} s left` : '';
  return `${countsText(countsIn(state))}, ${count(rate)} rows a second${wait}`;
}

export const warningLines = ({ sheet, rows, withoutPrice, choices }: StateIn<'previewed'>): string[] => [
  ...sheet.warnings.map(({ text }) => text),
  ...(sheet.unknownCategories.some(({ isArchived }) => !isArchived) ? ['To add them: --add-categories.'] : []),
  ...(withoutPrice.length === 0 ? [] : [withoutPriceLine(withoutPrice, choices)]),
  ...rows
    .flatMap(({ line, warning }) => (warning === undefined ? [] : [`Line ${line} ${warning.text}.`]))
    .slice(0, maxShown),
];

const withoutPriceLine = (lines: readonly number[], { withoutPrice }: RowChoices): string => {
  const text = `New items without a price, which get 0: ${count(lines.length)}, such as line ${lines.slice(0, 3).join(', ')}.`;
  return withoutPrice === undefined ? `${text} Add --without-price create, or --without-price skip.` : text;
};

export const addedCategories = (names: readonly string[]): string =>
  `Categories were added, which an undo of this import leaves: ${listed(names)}.`;

/** The options that update the items which have identifiers of the file. */
export const takenLines = (rejected: readonly RejectedRow[], updateBy: string | undefined): string[] =>
  identifierNames
    .filter((name) =>
      rejected.some(({ problems }) => problems.some(({ field, item }) => field === name && item !== undefined)),
    )
    .filter(() => updateBy === undefined)
    .map((name) => `To update the items that have a ${name} of the file: --update-by ${name}`);

/** The problems of rejected rows, equal ones once, with the first lines that have them. */
export function problemLines(rejected: readonly RejectedRow[]): string[] {
  const all = rejected.flatMap(({ line, problems }) => problems.map((each) => ({ line, reason: reasonText(each) })));
  const groups = [...groupBy(all, ({ reason }) => reason)].slice(0, maxShown);
  return groups.map(([reason, same]) => {
    const lines = same.slice(0, 3).map(({ line }) => line);
    const others = same.length > lines.length ? ` and ${count(same.length - lines.length)} more` : '';
    return `Line ${lines.join(', ')}${others}: ${reason}.`;
  });
}

const reasonText = ({ field, path = '', reason }: RejectProblem): string => `${field}${path} ${reason}`.trim();

export function previewLines(state: StateIn<'previewed'>): string[] {
  const { doneBefore, rejected, created, updated: all, unchanged } = countsIn(state);
  const { reactivate } = state.counts;
  const changed = state.rows.flatMap(({ line, id, changes = [] }) =>
    changes.length === 0 ? [] : [`Line ${line}: item ${id}: ${changes.map(changeText).join(', ')}.`],
  );
  const counts = { created, updated: all - reactivate, reactivated: reactivate, unchanged, doneBefore, rejected };
  return [...problemLines(state.rejected), ...changed.slice(0, maxShown), `Would be: ${countsText(counts)}.`];
}

const changeText = ({ field, path = '', from, to }: Schemas['FieldChange']): string =>
  from === undefined ? `${field}${path}` : `${field}${path} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`;

export const optionsText = (given: Readonly<Record<string, string | true | undefined>>): string =>
  Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` --${name}${value === true ? '' : ` ${shellQuoted(value)}`}`))
    .join('');
