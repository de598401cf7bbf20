/**
 * What the cells of a sheet mean. In exports of ours, an empty cell says nothing, `null` is null, and an apostrophe marks
 * text that would otherwise mean something else, to this service or to a spreadsheet.
 */
import { type FieldKind, fields } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { hasVisibleCharacters } from '../../lib/item/text.ts';
import { amountReadings, type DecimalMark } from '../readAmount.ts';
import { csvLine } from './csvLine.ts';
import type { Cell } from './records.ts';

/** The columns of single custom fields are named like `metadata.color`. */
export const customPrefix = 'metadata.';

/** At most this many custom fields get a column each. The others are together in the column `metadata`. */
export const maxCustomColumns = 200;

type Kind = FieldKind | 'any';

const columnFields: Readonly<Record<string, { readonly kind: FieldKind; readonly unique?: true }>> = fields;

const kindOf = (column: string): Kind | undefined =>
  column.startsWith(customPrefix) ? 'any' : columnFields[column]?.kind;

export const isAmount = (column: string): boolean => kindOf(column) === 'number';
const isCode = (column: string): boolean => columnFields[column]?.unique === true;

/** Why a cell cannot be read, in words that continue "<column> …". */
export class UnreadableCell extends Error {}

/** A spreadsheet runs a cell that begins like this. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Whether a text as a cell would mean something else. */
function needsMark(text: string, kind: Kind | undefined): boolean {
  const bare = text.replace(/^'+/, '');
  return bare === '' || bare === 'null' || formula.test(bare) || (kind === 'any' && jsonIn(bare) !== undefined);
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
  return needsMark(value, kindOf(column)) ? `'${value}` : value;
}

/** The value of a cell in an export of ours; undefined if it is empty. @throws UnreadableCell */
export function readCell(column: string, cell: string, decimalMark: DecimalMark): Json | undefined {
  const kind = kindOf(column);
  if (cell === '') return undefined;
  if (cell === 'null') return null;
  if (kind === 'number') return numberOf(cell.trim(), decimalMark);
  if (kind === 'boolean') return booleanOf(cell.trim());
  if (kind === 'object') return objectOf(cell);
  if (cell.startsWith("'") && needsMark(cell.slice(1), kind)) return cell.slice(1);
  return (kind === 'any' ? jsonIn(cell) : undefined) ?? cell;
}

export const isBlank = (cell: Cell): boolean =>
  typeof cell === 'string' && (cell === '=""' || !(/[!-~]/.test(cell) || hasVisibleCharacters(cell)));

/** Without blanks around it. No-break spaces, which pages and programs put for blanks, become blanks. */
export const trimmed = (text: string): string => text.replaceAll(/[^\S\t\r\n]/g, ' ').trim();

/** A text without that by which people keep a spreadsheet from changing it: `="00123"`, `'00123`. */
function unprotected(text: string, column: string): string {
  if (text.startsWith('="') && text.endsWith('"')) return text.slice(2, -1).replaceAll('""', '"');
  if (!text.startsWith("'")) return text;
  const rest = text.slice(1);
  const isNumeral = /^\d[\d.,:/ -]*(E[+-]?\d+)?$/i.test(rest);
  return isNumeral || isCode(column) || needsMark(rest, kindOf(column)) ? rest : text;
}

/**
 * The value of a cell in a file of others, except for categories; undefined if it is blank.
 * @param isNumber whether the column is a custom field of numbers
 * @throws UnreadableCell
 */
export function readPlainCell(
  column: string,
  cell: Cell,
  decimalMark: DecimalMark,
  isNumber: boolean,
): Json | undefined {
  if (isBlank(cell)) return undefined;
  if (typeof cell === 'number' && (isNumber || isAmount(column))) return cell;
  if (trimmed(String(cell)) === 'null') return null;
  const written = unprotected(String(cell), column);
  const text = trimmed(written);
  if (isCode(column) || column === 'unit' || column === 'type') return text;
  if (isNumber) return Number(text);
  return kindOf(column) === 'any' || kindOf(column) === 'text' ? written : readCell(column, text, decimalMark);
}

/** The number that an amount is with a decimal mark; undefined: none. */
export function amountWith(decimalMark: DecimalMark, cell: Cell): number | undefined {
  const { [decimalMark]: amount, currency } = amountReadings(unprotected(String(cell), 'value'));
  return currency === '' ? amount : undefined;
}

function numberOf(cell: string, decimalMark: DecimalMark): number {
  const amount = amountWith(decimalMark, cell);
  if (amount !== undefined) return amount;
  const other = decimalMark === '.' ? ',' : '.';
  throw new UnreadableCell(
    amountWith(other, cell) === undefined
      ? `must be a number such as 1234${decimalMark}5, without currency and percent signs`
      : `has "${other}", but the decimal mark of the file is "${decimalMark}"`,
  );
}

/** Whether a cell is a number as JSON writes it, so that none of its signs are lost: not `1.10`, `1E5` or `00123`. */
export const isShortestNumber = (cell: Cell): boolean =>
  /^-?\d+(\.\d+)?$/.test(String(cell)) && String(Number(cell)) === String(cell);

const noValue =
  /^\s*(#(N\/A|NV|REF!|VALUE!|WERT!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)|n\/a|NULL|Null|\(null\)|\\N|nil|NaN|None|undefined)\s*$/;

/** What is left of a code if a spreadsheet has taken it for a number or a date: `9.78E+12`, `Mar-05`, `01. Mrz`. */
const power = /^\s*\d([.,]\d+)?E\+\d+\s*$/i;
const month =
  '([Jj]an|[Ff]e[bv]|[Mm](är|ar|rz|a[iy])|[Aa]([pv]r|ug)|[Jj]u[nli]|[Ss]ep|[Oo][ck]t|[Nn]ov|[Dd]e[cz])[a-z]*';
const date = new RegExp(`^\\s*(\\d{1,2}[-. ]+${month}\\.?|${month}[-. ]+\\d\\d|\\d{4}-\\d\\d-\\d\\d( [\\d:]+)?)\\s*$`);

/** What becomes of letters if UTF-8 is read as Windows-1252, such as `Ã¼`, and of what could not be read at all. */
const wrongEncoding = /[ÃÂ][\u0080-\u00bf‚-„†-‰Š-ž€ƒˆŒ‘-•–—˜™]|â€|\ufffd/;

/** What is odd about a cell that can be read, in words that continue "<column> …". */
export function oddityOf(column: string, cell: Cell): string | undefined {
  if (typeof cell === 'number' && Math.abs(cell) >= 1e15)
    return 'has numbers of which the workbook keeps only 15 digits';
  if (isCode(column) && typeof cell === 'number')
    return 'has numbers in the workbook: zeros before them may be hidden there';
  if (isCode(column) && power.test(String(cell))) return `"${cell}" is what a spreadsheet makes of long digits`;
  if (isCode(column) && date.test(String(cell)))
    return `"${cell}" is what a spreadsheet makes of a code that could be a date`;
  if (wrongEncoding.test(String(cell))) return 'has letters that were saved in a wrong encoding';
  return noValue.test(String(cell)) ? `"${cell}" is what programs write where there is no value` : undefined;
}

function booleanOf(cell: string): boolean {
  if (/^(true|1)$/i.test(cell)) return true;
  if (/^(false|0)$/i.test(cell)) return false;
  throw new UnreadableCell('must be true, false, 1 or 0');
}

function objectOf(cell: string): Json {
  const value = jsonIn(cell);
  if (typeof value !== 'object' || Array.isArray(value)) throw new UnreadableCell('must be a JSON object');
  return value;
}

/** The line of an item, as it is in responses. Its custom fields without a column are in the column `metadata`. */
export function csvLineOf({ metadata, ...item }: JsonObject, columns: readonly string[]): string {
  const custom = Object.entries((metadata ?? {}) as JsonObject);
  const others = custom.filter(([key]) => !columns.includes(customPrefix + key));
  const values = new Map([
    ...Object.entries(item),
    ...custom.map(([key, value]) => [customPrefix + key, value] as const),
    ...(others.length > 0 ? [['metadata', Object.fromEntries(others)] as const] : []),
  ]);
  return csvLine(columns.map((column) => writeCell(column, values.get(column))));
}
