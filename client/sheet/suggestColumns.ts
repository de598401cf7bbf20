/** Suggests what columns are that neither their names nor the user's answer say, and asks about them. */
import { customKey, customName } from '../../lib/item/customName.ts';
import { itemTypes } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { codePoints } from '../../lib/item/text.ts';
import { listed } from '../../lib/item/violation.ts';
import type { Column, ColumnProfile } from './columnProfile.ts';
import { aboutColumns, answered, type ColumnsAnswer, targets } from './columns.ts';
import { isUsualPrice, suggestionFor } from './columnWords.ts';
import { isAmount } from './exportCells.ts';
import type { ColumnMapping, SheetQuestion } from './notices.ts';

/**
 * Completes the mapping once all cells were seen, with what has to be asked, mistakes first.
 * @param isOwn whether the file is an export of ours, whose names are sure
 */
export function settleColumns(
  mapped: readonly Column[],
  answer: ColumnsAnswer,
  isOwn: boolean,
): { readonly columns: readonly Column[]; readonly questions: readonly SheetQuestion[] } {
  const filled = mapped.map((column): Column => {
    const isEmpty = column.profile.filled === 0 && !answer.targets.has(column.name);
    return isEmpty ? { ...column, target: 'ignore', source: 'empty' } : column;
  });
  const prices = isOwn ? [] : pricesIn(filled);
  const columns = suggest(isOwn ? filled : doubt(filled, prices, answer), prices);
  const wrong = [...answer.wrong, ...clashesIn(columns)];
  const unknown = columns.filter(({ target }) => target === undefined);
  if (unknown.length === 0) return { columns, questions: wrong };
  if (wrong.length > 0) return { columns, questions: [...wrong, unknownColumns(unknown, [])] };
  const isPriceOpen = prices.length > 1;
  const names = namesIn(columns);
  return {
    columns,
    questions: [
      ...(isPriceOpen ? [whichColumn('value', 'the price', prices, answer)] : []),
      ...(names.length > 0 ? [whichColumn('name', 'the name', names, answer)] : []),
      unknownColumns(unknown, isPriceOpen ? [] : answersFor(columns, answer)),
    ],
  };
}

/** The columns that may be the price, by their names. If one of several is the usual price, it is the only one. */
function pricesIn(columns: readonly Column[]): Column[] {
  if (columns.some(({ target, source }) => target === 'value' && source === 'answer')) return [];
  const prices = columns.filter(({ name, target, profile }) => {
    const isPrice = target === undefined && suggestionFor(name) === 'value' && fits('value', profile);
    return isPrice || target === 'value';
  });
  const [usual, ...others] = prices.filter(({ name, target }) => target === 'value' || isUsualPrice(name));
  const isOnlyOne = others.length === 0 && usual?.target === undefined;
  return isOnlyOne && usual !== undefined ? [usual] : prices;
}

/** Takes back what names alone do not say for sure. */
function doubt(columns: readonly Column[], prices: readonly Column[], answer: ColumnsAnswer): Column[] {
  // A value beside a price may be that of all pieces in stock.
  const doubtful = new Set(prices.length > 1 ? prices : []);
  const theirs = new Set(columns.filter(isOfOtherSystem).map(({ target }) => target));
  if (theirs.has('revision')) theirs.add('id');
  return columns.map((column): Column => {
    if (doubtful.has(column)) return { ...column, target: undefined, source: undefined };
    const isTheirs = column.source === 'name' && theirs.has(column.target);
    return isTheirs ? { ...column, ...answered(answer, column.name, '*') } : column;
  });
}

/** Whether cells show that a name of ours means something else: revisions such as A and B, types such as "simple". */
function isOfOtherSystem({ target, source, profile }: Column): boolean {
  if (source !== 'name') return false;
  const isType = (cell: string) => itemTypes.some((type) => type === cell.trim().toLowerCase());
  // A single one may be a mistake.
  if (target === 'type') return profile.filled > 1 && !profile.examples.some(isType);
  return target === 'revision' && !profile.isNumber('.');
}

/** Suggests each field once: by the names of columns, else by what their cells look like. */
function suggest(columns: readonly Column[], prices: readonly Column[]): Column[] {
  const taken = new Set(columns.map(({ target }) => target));
  if (prices.length > 1) taken.add('value');
  const suggested = columns.map((column): Column => {
    const suggestion = column.target === undefined ? suggestionFor(column.name) : undefined;
    if (suggestion === undefined || taken.has(suggestion) || !fits(suggestion, column.profile)) return column;
    if (suggestion === 'value' && prices[0] !== column) return column;
    if (suggestion !== 'metadata') taken.add(suggestion);
    return { ...column, suggestion, suggestedBy: 'name' };
  });
  const rows = columns.reduce((most, { profile }) => Math.max(most, profile.filled), 0);
  for (const [field, looksLike] of Object.entries(looks)) {
    const isAlike = ({ target, suggestion, profile }: Column) =>
      target === undefined && suggestion === undefined && looksLike(profile, rows);
    const [column, ...others] = taken.has(field) ? [] : suggested.filter(isAlike);
    if (column !== undefined && others.length === 0)
      suggested[suggested.indexOf(column)] = { ...column, suggestion: field, suggestedBy: 'cells' };
  }
  return suggested;
}

/** A column with the name of a price has amounts, not only 0, except for headings and words such as "on request". */
function fits(field: string, { amounts, filled, hasAmount, examples }: ColumnProfile): boolean {
  // Rows that are counted, such as 1, 2, 3, have no codes.
  if (field === 'sku') return examples.some((cell, index) => cell !== String(index + 1));
  return !isAmount(field) || (hasAmount && amounts * 3 >= filled);
}

const isMost = (count: number, all: number): boolean => count * 10 >= all * 9;

/** Whether the cells of a column look like those of a field, for columns whose names suggest none. */
const looks: Readonly<Record<string, (column: ColumnProfile, rows: number) => boolean>> = {
  value: ({ amounts, filled, prices }) => isMost(amounts, filled) && prices * 2 > amounts,
  sku: ({ distinct, identifiers, phrases, prices }, rows) =>
    rows > 2 && distinct.size === rows && identifiers === rows && phrases === 0 && prices === 0,
  name: ({ distinct, filled, phrases }, rows) => isMost(phrases, rows) && distinct.size * 2 >= filled,
};

const isName = ({ target, suggestion }: ColumnMapping): boolean => target === 'name' || suggestion === 'name';

/** The columns that may be the name, likely ones first, if none is known or suggested. */
function namesIn(columns: readonly Column[]): Column[] {
  if (columns.some(isName)) return [];
  const texts = columns.filter(({ target, profile }) => target === undefined && profile.phrases * 2 >= profile.filled);
  return texts.sort((one, other) => other.profile.distinct.size - one.profile.distinct.size);
}

/** So many columns are offered. */
const maxOffered = 8;

/** Asks which of some columns is a field. The answer leads to the question what the others are. */
function whichColumn(target: string, called: string, columns: readonly Column[], answer: ColumnsAnswer): SheetQuestion {
  const offered = columns.slice(0, maxOffered);
  const readings = offered.map(({ name, profile }) => ({
    answer: joined(answer, [`${name}=${target}`]),
    shown: `${name}: ${profile.examples.join(', ')}`,
  }));
  const values = { target, columns: offered.map(({ name }) => name) };
  return aboutColumns('which_column', `Which column is ${called}?`, values, readings);
}

/** An answer with more parts. */
const joined = ({ text }: ColumnsAnswer, parts: readonly string[]): string =>
  [...(text === '' ? [] : [text]), ...parts].join(',');

function unknownColumns(unknown: readonly ColumnMapping[], readings: SheetQuestion['readings']): SheetQuestion {
  const names = unknown.map(({ name }) => name);
  const quoted = names.map((name) => JSON.stringify(name));
  const text = `There are ${targets.join(', ')}, and ${customName('color')} for a custom field color. The file has columns that are unknown: ${listed(quoted)}.`;
  return aboutColumns('columns', text, { columns: names }, readings);
}

const maxKey = limits.metadata.keyLength.max;

/** Columns of one meaning, and names that no custom field can have. */
function clashesIn(columns: readonly ColumnMapping[]): SheetQuestion[] {
  const first = new Map<string, string>();
  return columns.flatMap(({ name, target = 'ignore' }) => {
    if (target === 'ignore') return [];
    const other = first.get(target);
    if (other === undefined) first.set(target, name);
    const twice = `The columns "${other}" and "${name}" are both ${target}.`;
    const long = `The name of a custom field has at most ${maxKey} characters: "${name}".`;
    const isLong = codePoints(customKey(target) ?? '') > maxKey;
    return [
      ...(other === undefined ? [] : [aboutColumns('column_twice', twice, { columns: [other, name], target })]),
      ...(isLong ? [aboutColumns('long_key', long, { column: name, limit: maxKey })] : []),
    ];
  });
}

/** Answers that leave nothing to be asked of the columns. */
function answersFor(columns: readonly ColumnMapping[], answer: ColumnsAnswer): SheetQuestion['readings'] {
  const unknown = columns.filter(({ target }) => target === undefined);
  const likely = unknown.filter(({ suggestion }) => suggestion !== undefined);
  const long = unknown.filter(({ name, suggestion }) => suggestion === undefined && codePoints(name) > maxKey);
  const suggested = likely.map(({ name, suggestion }) => `${name}=${suggestion}`);
  const tooLong = long.map(({ name }) => `${name}=ignore`);
  const without = columns.some(isName) ? '' : ', and can only update items, because no column is the name';
  const leavesOut = { answer: joined(answer, [...suggested, '*=ignore']), shown: `leaves out the others${without}` };
  const keeps = {
    answer: joined(answer, [...suggested, ...tooLong, '*=metadata']),
    shown: `keeps the others as custom fields${without}`,
  };
  const names = new Set(columns.map(({ target }) => target));
  const isKept = unknown.some(({ name }) => names.has(customName(name.trim())));
  return isKept ? [leavesOut] : [leavesOut, keeps];
}
