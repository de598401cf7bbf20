/**
 * The cells of our exports. An empty one says nothing, `null` is null, and an apostrophe marks text that would otherwise
 * mean something else, to this service or to a spreadsheet.
 */
import { customKey, customName } from '../../lib/item/customName.ts';
import { type Field, type FieldKind, fields } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { csvLine, runsInSpreadsheet } from './csvLine.ts';
import { type SheetProblem, UnreadableCell } from './notices.ts';
import { amountReadings, type DecimalMark } from './readAmount.ts';

/** At most this many custom fields get a column each. The others are together in the column `metadata`. */
export const maxCustomColumns = 200;

const columnFields: Readonly<Record<string, Field>> = fields;

export const isCustom = (column: string): boolean => customKey(column) !== undefined;
export const kindOf = (column: string): FieldKind | 'any' | undefined =>
  isCustom(column) ? 'any' : columnFields[column]?.kind;
export const isAmount = (column: string): boolean => kindOf(column) === 'number';
export const isIdentifier = (column: string): boolean => columnFields[column]?.unique === true;

/** How many decimals are kept of an amount. A quantity has those of its unit. */
export const decimalsOf = (column = ''): number => columnFields[column]?.limits?.decimals ?? Number.POSITIVE_INFINITY;

/** A number with decimals as a spreadsheet with decimal commas writes it. */
const commaNumber = /^-?\d+,\d+$/;

/** The logical values of spreadsheets, in the languages that we know. They are shown and saved in capitals. */
const yesInSpreadsheets = 'true|wahr|vrai|verdadero|vero|verdadeiro|waar|prawda|истина|doğru';
const noInSpreadsheets = 'false|falsch|faux|falso|onwaar|fałsz|ложь|yanl[ıi]ş';
const logical = new RegExp(`^(${yesInSpreadsheets}|${noInSpreadsheets})$`, 'iu');

/** Whether a cell is what a spreadsheet makes of `true` or `false`. */
export const isLogical = (cell: string): boolean => logical.test(cell) && cell === cell.toUpperCase();

/** Whether a text as a cell would mean something else. */
export function needsMark(text: string, column: string): boolean {
  const bare = text.replace(/^'+/, '');
  const isOther = kindOf(column) === 'any' && (jsonIn(bare) !== undefined || commaNumber.test(bare) || isLogical(bare));
  return bare === '' || bare === 'null' || runsInSpreadsheet.test(bare) || isOther;
}

/** The value of a text that is JSON, but not of one in quotes. */
function jsonIn(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === 'string' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The cell of a value. Null is said only where a create would otherwise take a default. */
export function writeCell(column: string, value: Json | undefined): string {
  if (value === undefined) return '';
  if (value === null) return column === 'category' ? 'null' : '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return needsMark(value, column) ? `'${value}` : value;
}

/**
 * The value of a cell in an export of ours; undefined if it is empty.
 * @param isLogicalColumn whether all cells of a custom field are logical values. In others, WAHR is a word
 * @throws UnreadableCell
 */
export function readExportCell(
  column: string,
  cell: string,
  decimalMark: DecimalMark,
  isLogicalColumn = false,
): Json | undefined {
  const kind = kindOf(column);
  if (cell === '') return undefined;
  if (cell === 'null') return null;
  if (kind === 'number') return numberOf(cell.trim(), decimalMark);
  if (kind === 'boolean') return booleanOf(cell.trim());
  if (kind === 'object') return objectOf(cell);
  if (cell.startsWith("'") && needsMark(cell.slice(1), column)) return cell.slice(1);
  if (kind !== 'any') return cell;
  if (decimalMark === ',' && commaNumber.test(cell)) return Number(cell.replace(',', '.'));
  if (isLogical(cell) && (isLogicalColumn || /^(TRUE|FALSE)$/.test(cell))) return booleanOf(cell);
  return jsonIn(cell) ?? cell;
}

/** @param cell without blanks, and apostrophe, around it @throws UnreadableCell */
function numberOf(cell: string, decimalMark: DecimalMark): number {
  const other = decimalMark === '.' ? ',' : '.';
  const { [decimalMark]: amount, [other]: otherwise, currency } = amountReadings(cell);
  if (amount !== undefined && currency === '') return amount;
  const wrong = (rule: SheetProblem['rule'], reason: string) =>
    new UnreadableCell(rule, cell, reason, { decimal: decimalMark });
  if (amount !== undefined) throw wrong('currency', 'has a currency or unit that is not that of nearly all amounts');
  if (otherwise === undefined)
    throw wrong('number', `must be a number such as 1234${decimalMark}5, without percent signs`);
  throw wrong('decimal_mark', `has "${other}", but the decimal mark of the file is "${decimalMark}"`);
}

/** Those of programs, of people, and of spreadsheets in other languages. */
const yes = new RegExp(`^(${yesInSpreadsheets}|1|yes|ja|oui|s[ií]|sì|sim|tak|ano|да|evet)$`, 'iu');
const no = new RegExp(`^(${noInSpreadsheets}|0|no|nein|non|não|nee|nie|ne|нет|hayır)$`, 'iu');

function booleanOf(cell: string): boolean {
  if (yes.test(cell)) return true;
  if (no.test(cell)) return false;
  throw new UnreadableCell('boolean', cell, 'must be true, false, 1 or 0');
}

function objectOf(cell: string): Json {
  const value = jsonIn(cell);
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new UnreadableCell('object', cell, 'must be a JSON object');
}

/** The line of an item, as it is in responses. Its custom fields without a column are in the column `metadata`. */
export function csvLineOf({ metadata, ...item }: JsonObject, columns: readonly string[]): string {
  const custom = Object.entries((metadata ?? {}) as JsonObject);
  const others = custom.filter(([key]) => !columns.includes(customName(key)));
  const values = new Map([
    ...Object.entries(item),
    ...custom.map(([key, value]) => [customName(key), value] as const),
    ...(others.length > 0 ? [['metadata', Object.fromEntries(others)] as const] : []),
  ]);
  return csvLine(columns.map((column) => writeCell(column, values.get(column))));
}
