/** Maps the columns of a file to fields, by their names and by the user's answer. */
import { customName } from '../../lib/item/customName.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { rejectColumns } from './csvLine.ts';
import { isCustom } from './exportCells.ts';
import type { ColumnMapping, SheetQuestion } from './notices.ts';

const responseOnly = ['id', 'category_name', 'create_date', 'revision', 'updated_at', 'updated_by'];

/** The columns and members that other fields of a response, or the rejects of an import, have. */
const ignored: ReadonlySet<string> = new Set([...responseOnly, ...rejectColumns]);

/** Whether a file is an export of ours, whatever other columns have been added. */
export const isExport = (heading: readonly string[]): boolean => responseOnly.every((name) => heading.includes(name));

/** The targets of columns, besides custom fields. */
export const targets: readonly string[] = [...fieldNames, 'id', 'revision', 'category_name', 'ignore'];

/** Case, blanks, an asterisk, what cannot be seen, and how a Mac writes accents do not matter. */
export const foldedName = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}_*-]+/gu, '');

const byFoldedName = new Map([...fieldNames, ...ignored].map((name) => [foldedName(name), name]));

export function targetOf(name: string): string | undefined {
  const [prefix = ''] = /^\s*metadata\./i.exec(name) ?? [];
  if (prefix !== '') return customName(name.slice(prefix.length));
  const column = byFoldedName.get(foldedName(name));
  return column === undefined || targets.includes(column) ? column : 'ignore';
}

/** The names of columns, each of which is another. */
export function namesOf(heading: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return heading.map((text, index) => {
    const name = text.trim() === '' ? `column ${index + 1}` : text;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name} (${number})`;
  });
}

/** The user's answer about columns. */
export interface ColumnsAnswer {
  /** As in `Regular price=value,*=ignore`; empty: nothing is said. */
  readonly text: string;
  /** The targets of columns by their names, and by `*` that of all others. */
  readonly targets: ReadonlyMap<string, string>;
  readonly wrong: readonly SheetQuestion[];
}

/** A name may have commas and equal signs, a target has neither. */
const partOfAnswer = /(.*?)=([^,=]*)(?:,|$)/gsy;

/** A longer name cannot be answered: to try every end of it would take the square of its length. */
const maxName = 300;

/** Reads an answer about columns. After a name that the file does not have, nothing more is read. */
export function readColumnsAnswer(text: string, names: readonly string[]): ColumnsAnswer {
  const exact = (name: string) => name.trim().normalize('NFC');
  const columns = new Map([...names].reverse().map((name) => [foldedName(name), name]));
  for (const name of ['*', ...names]) columns.set(exact(name), name);
  const answers = new Map<string, string>();
  const wrong: SheetQuestion[] = [];
  let [end, unread] = [0, ''];
  for (const { 0: part, 1: before = '', 2: written = '', index } of text.matchAll(partOfAnswer)) {
    const name = text.slice(end, index + before.length);
    const column = columns.get(exact(name)) ?? columns.get(foldedName(name));
    if (column === undefined) {
      unread ||= `${before}=${written}`;
      // The name may go on behind an equal sign and a comma.
      if (name.length > maxName) break;
      continue;
    }
    const target = written.trim();
    if (!targets.includes(target) && !isCustom(target))
      wrong.push(aboutColumns('no_such_target', `"${column}" cannot be "${target}".`, { column, target }));
    answers.set(column, target);
    [end, unread] = [index + part.length, ''];
  }
  const answer = (unread || text.slice(end)).trim();
  if (answer !== '') wrong.push(aboutColumns('no_such_column', `The file has no column for "${answer}".`, { answer }));
  return { text, targets: answers, wrong };
}

export const aboutColumns = (
  rule: SheetQuestion['rule'],
  text: string,
  values: SheetQuestion['values'],
  readings: SheetQuestion['readings'] = [],
): SheetQuestion => ({ option: 'columns', rule, text, values, readings });

/** Maps each column by the answer about it, by its name, or by the answer about all others, before its cells are read. */
export function mapColumns(names: readonly string[], answer: ColumnsAnswer): ColumnMapping[] {
  const taken = new Set(answer.targets.values());
  // Other systems have ids and revisions, too. Ours are written in these letters, and are together.
  const isOurs = names.includes('id') && names.includes('revision');
  return names.map((name) => {
    if (answer.targets.has(name)) return answered(answer, name, name);
    const target = targetOf(name);
    const isOfOther = !isOurs && (target === 'id' || target === 'revision');
    const isFree = target !== undefined && !taken.has(target) && !isOfOther;
    return isFree || target === 'ignore' ? { name, target, source: 'name' } : answered(answer, name, '*');
  });
}

/** The mapping of a column by what is said under a name. `metadata` stands for a custom field of the column's own name. */
export function answered({ targets: said }: ColumnsAnswer, name: string, under: string): ColumnMapping {
  const target = said.get(under);
  if (target === undefined) return { name, target, source: undefined };
  const source = under === '*' ? 'others' : 'answer';
  return { name, target: target === 'metadata' ? customName(name.trim()) : target, source };
}
