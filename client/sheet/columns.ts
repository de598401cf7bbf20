/** Maps the columns of a file to fields: by their names, by the user's answer, and with suggestions. */
import { customKey, customName } from '../../lib/item/customName.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { codePoints } from '../../lib/item/text.ts';
import { listed } from '../../lib/item/violation.ts';
import type { ColumnProfile } from './columnProfile.ts';
import { isUsualPrice, suggestionFor } from './columnWords.ts';
import { rejectColumns } from './csvLine.ts';
import { isAmount, isCustom } from './exportCells.ts';
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
  /** Why it is suggested: its name says so, or what its cells look like. */
  readonly suggestedBy?: 'name' | 'cells';
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
  readonly answer: string | undefined;
  readonly columns: readonly ColumnMapping[];
  /** The columns that the answer names. */
  readonly answered: ReadonlySet<string>;
  /** What the answer makes of a column whose name says nothing. */
  readonly otherwise: (name: string) => ColumnMapping;
  /** What is wrong with the answer. */
  readonly wrong: readonly SheetQuestion[];
}

/**
 * Maps each column by its name and the user's answer, before its cells are read.
 * @param answer as in `Regular price=value,*=ignore`
 */
export function mapColumns(names: readonly string[], answer: string | undefined): MappedColumns {
  const { answers, wrong } = readColumnsAnswer(answer ?? '', names);
  const taken = new Set(answers.values());
  // Other systems have ids and revisions, too. Ours are written in these letters, and are together.
  const isOurs = names.includes('id') && names.includes('revision');
  const ofOthers = answers.get('*');
  const otherwise = (name: string): ColumnMapping =>
    ofOthers === undefined
      ? { name, target: undefined, source: undefined }
      : { name, target: withName(ofOthers, name), source: 'answer' };
  const columns = names.map((name): ColumnMapping => {
    const ofColumn = answers.get(name);
    if (ofColumn !== undefined) return { name, target: withName(ofColumn, name), source: 'answer' };
    const byName = targetOf(name);
    const isOfItem = byName === 'id' || byName === 'revision';
    const isFree = byName !== undefined && !taken.has(byName) && (isOurs || !isOfItem);
    if (isFree || byName === 'ignore') return { name, target: byName, source: 'name' };
    return otherwise(name);
  });
  return { answer, columns, answered: new Set(answers.keys()), otherwise, wrong };
}

/** `metadata` stands for a custom field of the column's own name. */
const withName = (target: string, name: string): string => (target === 'metadata' ? customName(name.trim()) : target);

export interface SettledColumns {
  readonly columns: readonly ColumnMapping[];
  readonly questions: readonly SheetQuestion[];
}

/**
 * Completes the mapping once all cells were seen, with what has to be asked, mistakes first.
 * @param isOwn whether the file is an export of ours, whose names are sure
 */
export function settleColumns(
  mapped: MappedColumns,
  profiles: readonly ColumnProfile[],
  isOwn: boolean,
): SettledColumns {
  const isEmpty = ({ name }: ColumnMapping, at: number) => !mapped.answered.has(name) && profiles[at]?.filled === 0;
  const filled = mapped.columns.map(
    (column, at): ColumnMapping =>
      isEmpty(column, at) ? { name: column.name, target: 'ignore', source: 'empty' } : column,
  );
  const prices = isOwn ? [] : pricesIn(filled, profiles);
  // A value beside a price may be that of all pieces in stock.
  const doubtful = new Set(prices.length > 1 ? prices : []);
  // Revisions such as A and B are those of another system.
  const isOther = ({ target, source }: ColumnMapping, at: number) =>
    target === 'revision' && source === 'name' && profiles[at]?.isNumber('.') === false;
  const isOfOther = !isOwn && filled.some(isOther);
  const open = filled.map((column, at): ColumnMapping => {
    const { name, target = '', source } = column;
    if (doubtful.has(at)) return { name, target: undefined, source: undefined };
    return isOfOther && source === 'name' && ['id', 'revision'].includes(target) ? mapped.otherwise(name) : column;
  });
  const columns = withSuggestions(open, profiles, prices);
  const wrong = [...mapped.wrong, ...clashesIn(columns)];
  const unknown = columns.filter(({ target }) => target === undefined);
  if (unknown.length === 0) return { columns, questions: wrong };
  if (wrong.length > 0) return { columns, questions: [...wrong, unknownColumns(unknown, [])] };
  const which = [
    ...(prices.length > 1 ? [whichColumn('value', prices, mapped, profiles)] : []),
    ...namesIn(columns, profiles).map((places) => whichColumn('name', places, mapped, profiles)),
  ];
  const readings = prices.length > 1 ? [] : answersFor(mapped.answer, columns);
  return { columns, questions: [...which, unknownColumns(unknown, readings)] };
}

/** The columns that may be the price, by their names. If one of several is the usual price, it is the only one. */
function pricesIn(columns: readonly ColumnMapping[], profiles: readonly ColumnProfile[]): number[] {
  if (columns.some(({ target, source }) => target === 'value' && source === 'answer')) return [];
  const prices = columns.flatMap(({ name, target }, at) => {
    const isPrice = target === undefined && suggestionFor(name) === 'value' && fits('value', profiles[at]);
    return isPrice || target === 'value' ? [at] : [];
  });
  const usual = prices.filter((at) => columns[at]?.target === 'value' || isUsualPrice(columns[at]?.name ?? ''));
  return usual.length === 1 && columns[usual[0] ?? 0]?.target === undefined ? usual : prices;
}

/** So many columns are offered. */
const maxOffered = 8;

/** A name with more commas cannot be answered. */
const maxCommas = 100;

/** The columns that may be the name, likely ones first, if none is known or suggested: at most one list of them. */
function namesIn(columns: readonly ColumnMapping[], profiles: readonly ColumnProfile[]): number[][] {
  if (columns.some(({ target, suggestion }) => target === 'name' || suggestion === 'name')) return [];
  const distinct = (at: number) => profiles[at]?.distinct.size ?? 0;
  const texts = columns.flatMap(({ target }, at) => {
    const { phrases = 0, filled = 0 } = profiles[at] ?? {};
    return target === undefined && phrases * 2 >= filled ? [at] : [];
  });
  const likely = texts.sort((one, other) => distinct(other) - distinct(one) || one - other);
  return likely.length === 0 ? [] : [likely];
}

const whichNames = { name: 'the name', value: 'the price' } as const;

/** Asks which of some columns is a field. The answer leads to the question what the others are. */
function whichColumn(
  field: keyof typeof whichNames,
  places: readonly number[],
  { answer, columns }: MappedColumns,
  profiles: readonly ColumnProfile[],
): SheetQuestion {
  const offered = places.slice(0, maxOffered);
  const names = offered.map((at) => columns[at]?.name ?? '');
  const readings = offered.map((at, index) => ({
    answer: [...(answer === undefined ? [] : [answer]), `${names[index]}=${field}`].join(','),
    shown: [names[index], profiles[at]?.examples.join(', ')].join(': '),
  }));
  const text = `Which column is ${whichNames[field]}?`;
  return about('which_column', text, { target: field, columns: names }, readings);
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
function answersFor(given: string | undefined, columns: readonly ColumnMapping[]): SheetQuestion['readings'] {
  const unknown = columns.filter(({ target }) => target === undefined);
  const likely = unknown.flatMap(({ name, suggestion }) => (suggestion === undefined ? [] : [`${name}=${suggestion}`]));
  const isLong = ({ name, suggestion }: ColumnMapping) => suggestion === undefined && codePoints(name) > maxKey;
  const long = unknown.filter(isLong).map(({ name }) => `${name}=ignore`);
  const completed = columns.map((column): ColumnMapping => {
    const { name, target, suggestion = isLong(column) ? 'ignore' : 'metadata' } = column;
    return { ...column, target: target ?? withName(suggestion, name) };
  });
  const hasName = columns.some(({ target, suggestion }) => target === 'name' || suggestion === 'name');
  const without = hasName ? '' : ', and can only update items, because no column is the name';
  const before = [...(given === undefined ? [] : [given]), ...likely];
  const leavesOut = { answer: [...before, '*=ignore'].join(','), shown: `leaves out the others${without}` };
  const keeps = {
    answer: [...before, ...long, '*=metadata'].join(','),
    shown: `keeps the others as custom fields${without}`,
  };
  return clashesIn(completed).length === 0 ? [leavesOut, keeps] : [leavesOut];
}

/** Suggests each field once: by the names of columns, else by what their cells look like. */
function withSuggestions(
  columns: readonly ColumnMapping[],
  profiles: readonly ColumnProfile[],
  prices: readonly number[],
): ColumnMapping[] {
  const taken = new Set(columns.map(({ target }) => target));
  const suggested = columns.map((column, at): ColumnMapping => {
    const suggestion = column.target === undefined ? suggestionFor(column.name) : undefined;
    if (suggestion === undefined || taken.has(suggestion) || !fits(suggestion, profiles[at])) return column;
    if (suggestion === 'value' && (prices.length > 1 || prices[0] !== at)) return column;
    if (suggestion !== 'metadata') taken.add(suggestion);
    return { ...column, suggestion, suggestedBy: 'name' };
  });
  const rows = profiles.reduce((most, { filled }) => Math.max(most, filled), 0);
  for (const [field, looksLike] of Object.entries(looks)) {
    if (taken.has(field) || (field === 'value' && prices.length > 1)) continue;
    const alike = suggested.flatMap(({ target, suggestion }, at) => {
      const profile = profiles[at];
      const isOpen = target === undefined && suggestion === undefined && profile !== undefined;
      return isOpen && looksLike(profile, rows) ? [at] : [];
    });
    const [at = -1, ...others] = alike;
    const column = suggested[at];
    if (column !== undefined && others.length === 0)
      suggested[at] = { ...column, suggestion: field, suggestedBy: 'cells' };
  }
  return suggested;
}

const isMost = (count: number, all: number): boolean => count * 10 >= all * 9;

/** A column with the name of a price has amounts, not only 0, except for headings and words such as "on request". */
function fits(field: string, profile: ColumnProfile | undefined): boolean {
  if (profile === undefined) return true;
  if (field === 'sku') return !profile.isCount;
  return !isAmount(field) || (profile.hasAmount && profile.amounts * 3 >= profile.filled);
}

/** What the cells of a column look like, if its name says nothing. */
const looks: Readonly<Record<string, (column: ColumnProfile, rows: number) => boolean>> = {
  value: ({ amounts, filled, prices }) => isMost(amounts, filled) && prices * 2 > amounts,
  sku: ({ distinct, identifiers, phrases, prices }, rows) =>
    rows > 2 && distinct.size === rows && identifiers === rows && phrases === 0 && prices === 0,
  name: ({ distinct, filled, phrases }, rows) => isMost(phrases, rows) && distinct.size * 2 >= filled,
};

/**
 * Reads an answer about columns. Their names may have commas and equal signs, so only those of the file are names. After a
 * name that the file does not have, nothing more is read.
 */
function readColumnsAnswer(answer: string, names: readonly string[]) {
  const answers = new Map<string, string>();
  const wrong: SheetQuestion[] = [];
  const exact = grouped(['*', ...names], (name) => name.trim().normalize('NFC'));
  const alike = grouped(names, foldedName);
  const commas = names.reduce((most, name) => Math.max(most, name.split(',').length - 1), 0);
  let part: string[] = [];
  for (const piece of answer === '' ? [] : answer.split(',')) {
    if (part.length > Math.min(commas, maxCommas)) break;
    part.push(piece);
    const text = part.join(',');
    const at = text.lastIndexOf('=');
    const name = text.slice(0, Math.max(at, 0)).trim().normalize('NFC');
    const target = text.slice(at + 1).trim();
    const found = exact.get(name) ?? alike.get(foldedName(name));
    if (at === -1 || found === undefined) continue;
    if (!targets.includes(target) && !isCustom(target))
      wrong.push(about('no_such_target', `"${name}" cannot be "${target}".`, { column: name, target }));
    for (const known of found) answers.set(known, target);
    part = [];
  }
  const rest = part.join(',').trim();
  if (part.length > 0) wrong.push(about('no_such_column', `The file has no column for "${rest}".`, { answer: rest }));
  return { answers, wrong };
}

function grouped(names: readonly string[], keyOf: (name: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(keyOf(name));
    if (group === undefined) groups.set(keyOf(name), [name]);
    else group.push(name);
  }
  return groups;
}
