/** Maps the columns of a file to fields: by their names, by the user's answer, and with suggestions. */
import { customKey, customName } from '../../lib/item/customName.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { codePoints } from '../../lib/item/text.ts';
import { listed } from '../../lib/item/violation.ts';
import type { ColumnProfile } from './columnProfile.ts';
import { suggestionFor } from './columnWords.ts';
import { rejectColumns } from './csvLine.ts';
import { isCustom } from './exportCells.ts';
import type { SheetQuestion } from './notices.ts';

export interface ColumnMapping {
  /** As it is in the file. A second one of a name has its number, and one without a name its place. */
  readonly name: string;
  /** A field, a custom field such as `metadata.color`, `id`, `revision`, `category_name`, or `ignore`. Undefined: unknown. */
  readonly target: string | undefined;
  /** Where the target is from: the column's name, the user's answer, or because it is empty. */
  readonly source: 'name' | 'answer' | 'empty' | undefined;
  /** The likely target of an unknown column; `metadata`: a custom field of its name. It is not applied. */
  readonly suggestion?: string;
  /** Its first cells that are not blank. */
  readonly examples?: readonly string[];
}

const responseOnly = ['id', 'category_name', 'create_date', 'revision', 'updated_at', 'updated_by'];

/** The columns and members that other fields of a response, or the rejects of an import, have. */
const ignored: ReadonlySet<string> = new Set([...responseOnly, ...rejectColumns]);

/** Whether a file is an export of ours, whatever other columns have been added. */
export const isExport = (heading: readonly string[]): boolean => responseOnly.every((name) => heading.includes(name));

/** What a column can be mapped to, besides a custom field. */
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

export interface MappedColumns {
  readonly names: readonly string[];
  readonly answer: string | undefined;
  readonly columns: readonly ColumnMapping[];
  /** The columns that the answer names. */
  readonly answered: ReadonlySet<string>;
  /** What is wrong with the answer. */
  readonly wrong: readonly SheetQuestion[];
}

/**
 * Maps each column by its name and the user's answer, before its cells are read.
 * @param answer as in `Regular price=value,*=ignore`
 */
export function mapColumns(names: readonly string[], answer: string | undefined): MappedColumns {
  const { answers, wrong } = readColumnsAnswer(answer ?? '', names);
  // Without revisions, a file may have the ids of another system.
  const hasRevision = names.some((name) => targetOf(name) === 'revision');
  const columns = names.map((name): ColumnMapping => {
    const own = targetOf(name);
    const byName = own === 'id' && !hasRevision ? undefined : own;
    const withName = (target: string) => (target === 'metadata' ? customName(name.trim()) : target);
    const ofColumn = answers.get(name);
    const ofOthers = answers.get('*');
    if (ofColumn !== undefined) return { name, target: withName(ofColumn), source: 'answer' };
    if (byName !== undefined) return { name, target: byName, source: 'name' };
    if (ofOthers !== undefined) return { name, target: withName(ofOthers), source: 'answer' };
    return { name, target: undefined, source: undefined };
  });
  return { names, answer, columns, answered: new Set(answers.keys()), wrong };
}

/** Completes the mapping once all cells were seen, with what has to be asked, mistakes first. */
export function settleColumns(
  mapped: MappedColumns,
  profiles: readonly ColumnProfile[],
): { readonly columns: readonly ColumnMapping[]; readonly questions: readonly SheetQuestion[] } {
  const isEmpty = (column: ColumnMapping, at: number) =>
    !mapped.answered.has(column.name) && profiles[at]?.filled === 0;
  const filled = mapped.columns.map(
    (column, at): ColumnMapping =>
      isEmpty(column, at) ? { name: column.name, target: 'ignore', source: 'empty' } : column,
  );
  const columns = withSuggestions(filled, profiles);
  const wrong = [...mapped.wrong, ...clashesIn(columns)];
  const unknown = columns.filter(({ target }) => target === undefined);
  if (unknown.length === 0) return { columns, questions: wrong };
  const readings = wrong.length > 0 ? [] : answersFor(mapped, columns, profiles);
  return { columns, questions: [...wrong, unknownColumns(unknown, readings)] };
}

const about = (
  rule: SheetQuestion['rule'],
  text: string,
  values: SheetQuestion['values'],
  readings: SheetQuestion['readings'] = [],
): SheetQuestion => ({ option: 'columns', rule, text, values, readings });

function unknownColumns(unknown: readonly ColumnMapping[], readings: SheetQuestion['readings']): SheetQuestion {
  const names = unknown.map(({ name }) => name);
  const quoted = names.map((name) => JSON.stringify(name));
  const text = `There are ${targets.join(', ')}, and ${customName('color')} for a custom field color. The file has columns that are unknown: ${listed(quoted)}.`;
  return about('columns', text, { columns: names }, readings);
}

const maxKey = limits.metadata.keyLength.max;
const isLongKey = ({ target = '' }: ColumnMapping): boolean => codePoints(customKey(target) ?? '') > maxKey;

/** Columns of one meaning, and names that no custom field can have. */
function clashesIn(columns: readonly ColumnMapping[]): SheetQuestion[] {
  const first = new Map<string, string>();
  return columns.flatMap((column) => {
    const { name, target = 'ignore' } = column;
    if (target === 'ignore') return [];
    const other = first.get(target);
    first.set(target, other ?? name);
    const twice = `The columns "${other}" and "${name}" are both ${target}.`;
    const long = `The name of a custom field has at most ${maxKey} characters: "${name}".`;
    return [
      ...(other === undefined ? [] : [about('column_twice', twice, { columns: [other, name], target })]),
      ...(isLongKey(column) ? [about('long_key', long, { column: name, limit: maxKey })] : []),
    ];
  });
}

/** Answers that leave nothing to be asked of the columns. */
function answersFor(
  { names, answer: given }: MappedColumns,
  columns: readonly ColumnMapping[],
  profiles: readonly ColumnProfile[],
): SheetQuestion['readings'] {
  const likely = columns.flatMap(({ name, suggestion }) => (suggestion === undefined ? [] : [`${name}=${suggestion}`]));
  const long = columns.flatMap(({ name, target, suggestion }) =>
    target === undefined && suggestion === undefined && codePoints(name) > maxKey ? [`${name}=ignore`] : [],
  );
  const answers = [
    { rest: ['*=ignore'], shown: 'leaves out the others' },
    { rest: [...long, '*=metadata'], shown: 'keeps the others as custom fields' },
  ].map(({ rest, shown }) => ({ answer: [given ?? [], likely, rest].flat().join(','), shown }));
  return answers.filter(({ answer }) => settleColumns(mapColumns(names, answer), profiles).questions.length === 0);
}

/** Suggests each field once: by the names of columns, else what their cells look like. */
function withSuggestions(columns: readonly ColumnMapping[], profiles: readonly ColumnProfile[]): ColumnMapping[] {
  const taken = new Set(columns.map(({ target }) => target));
  const byName = columns.map((column, at) => {
    const suggestion = column.target === undefined ? suggestionFor(column.name) : undefined;
    if (suggestion === undefined || taken.has(suggestion) || !fits(suggestion, profiles[at])) return column;
    if (suggestion !== 'metadata') taken.add(suggestion);
    return { ...column, suggestion };
  });
  const isOpen = ({ target, suggestion }: ColumnMapping) => target === undefined && suggestion === undefined;
  for (const [field, looksLike] of Object.entries(looks)) {
    const alike = byName.flatMap((column, at) => (isOpen(column) && looksLike(profiles[at], profiles) ? [at] : []));
    const [at = -1] = alike;
    const column = byName[at];
    if (alike.length === 1 && !taken.has(field) && column) byName[at] = { ...column, suggestion: field };
  }
  return byName;
}

const isMost = (count: number, all: number): boolean => count * 10 >= all * 9;

/** A column with the name of a price has amounts, except for headings and words such as "on request". */
const fits = (field: string, profile: ColumnProfile | undefined): boolean =>
  profile === undefined || !['value', 'cost', 'tax'].includes(field) || profile.amounts * 3 >= profile.filled;

/** What the cells of a column look like, if its name says nothing. */
const looks: Readonly<Record<string, (profile: ColumnProfile | undefined, all: readonly ColumnProfile[]) => boolean>> =
  {
    value: (column) =>
      column !== undefined && isMost(column.amounts, column.filled) && column.prices * 2 > column.amounts,
    sku: (column, all) => {
      const rows = Math.max(...all.map(({ filled }) => filled));
      const [first = ''] = column?.distinct ?? [];
      const isAlone = column !== undefined && column.distinct?.size === rows && column.phrases === 0;
      return isAlone && rows > 2 && column.prices === 0 && /\d/.test(first) && first.length > 3;
    },
    name: (column, all) => column !== undefined && isMost(column.phrases, Math.max(...all.map(({ filled }) => filled))),
  };

/** Reads an answer about columns. Their names may have commas and equal signs, so only those of the file are names. */
function readColumnsAnswer(answer: string, names: readonly string[]) {
  const answers = new Map<string, string>();
  const wrong: SheetQuestion[] = [];
  let part = '';
  for (const piece of answer === '' ? [] : answer.split(',')) {
    part = part === '' ? piece : `${part},${piece}`;
    const at = part.lastIndexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim().normalize('NFC');
    const target = part.slice(at + 1).trim();
    const exact = [...names, '*'].filter((known) => known.trim().normalize('NFC') === name);
    const alike = exact.length > 0 ? exact : names.filter((known) => foldedName(known) === foldedName(name));
    if (at === -1 || alike.length === 0) continue;
    if (!targets.includes(target) && !isCustom(target))
      wrong.push(about('no_such_target', `"${name}" cannot be "${target}".`, { column: name, target }));
    for (const known of alike) answers.set(known, target);
    part = '';
  }
  const rest = part.trim();
  if (part !== '') wrong.push(about('no_such_column', `The file has no column for "${rest}".`, { answer: rest }));
  return { answers, wrong };
}
