/**
 * What the cells of a CSV file mean. An empty cell says nothing, `null` is null, and an apostrophe marks text that would
 * otherwise mean something else, to this service or to a spreadsheet.
 */
import { type FieldKind, fields } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { csvLine } from './csvLine.ts';

/** The columns of single custom fields are named like `metadata.color`. */
export const customPrefix = 'metadata.';

/** At most this many custom fields get a column each. The others are together in the column `metadata`. */
export const maxCustomColumns = 200;

type Kind = FieldKind | 'any';

const columnFields: Readonly<Record<string, { readonly kind: FieldKind }>> = fields;

const kindOf = (column: string): Kind | undefined =>
  column.startsWith(customPrefix) ? 'any' : columnFields[column]?.kind;

/** How decimals are written in numbers. Undefined if that is not known, so that only whole numbers are certain. */
export type DecimalMark = '.' | ',' | undefined;

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

/** The value of a cell; undefined if it is empty. @throws UnreadableCell */
export function readCell(column: string, cell: string, decimalMark: DecimalMark): Json | undefined {
  const kind = kindOf(column);
  if (cell === '') return undefined;
  if (cell === 'null') return null;
  if (kind === 'number' || kind === 'integer') return numberOf(cell.trim(), decimalMark);
  if (kind === 'boolean') return booleanOf(cell.trim());
  if (kind === 'object') return objectOf(cell);
  if (cell.startsWith("'") && needsMark(cell.slice(1), kind)) return cell.slice(1);
  return (kind === 'any' ? jsonIn(cell) : undefined) ?? cell;
}

function numberOf(cell: string, decimalMark: DecimalMark): number {
  const [, whole, mark, fraction = '', exponent = ''] = /^(-?\d+)(?:([.,])(\d+))?([eE][+-]?\d+)?$/.exec(cell) ?? [];
  if (whole === undefined)
    throw new UnreadableCell(
      `must be a number such as 1234${decimalMark ?? '.'}5, without thousands separators, currency and percent signs`,
    );
  if (mark !== undefined && mark !== decimalMark)
    throw new UnreadableCell(
      decimalMark === undefined
        ? 'may have a decimal mark or a thousands separator: say what the decimal mark is'
        : `has "${mark}", but the decimal mark of the file is "${decimalMark}"`,
    );
  return Number(`${whole}.${fraction || 0}${exponent}`);
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
