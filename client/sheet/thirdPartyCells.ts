/** The cells of files that other programs and people have made. */
import type { Json } from '../../lib/item/json.ts';
import { hasVisibleCharacters } from '../../lib/item/text.ts';
import { isAmount, isCustom, isIdentifier, kindOf, needsMark, readExportCell } from './exportCells.ts';
import { quotedCell, UnreadableCell } from './notices.ts';
import type { DecimalMark } from './readAmount.ts';
import type { Cell } from './records.ts';

export const isBlank = (cell: Cell): boolean =>
  typeof cell === 'string' &&
  (cell.trim() === '' || /^'?=""$/.test(cell) || !(/[!-~]/.test(cell) || hasVisibleCharacters(cell)));

/** Without blanks around it. No-break spaces, which pages and programs put for blanks, become blanks. */
export const trimmed = (text: string): string => text.replaceAll(/[^\S\t\r\n]/g, ' ').trim();

/** A text without what keeps spreadsheets from changing it: `'00123`, `="00123"`, and in a file of rejects `'="00123"`. */
export function unprotected(text: string, column: string): string {
  const constant = /^'?="(.*)"$/s.exec(text)?.[1];
  if (constant !== undefined) return constant.replaceAll('""', '"');
  if (!text.startsWith("'")) return text;
  const rest = text.slice(1);
  const isNumeral = /^\d[\d.,:/ -]*(E[+-]?\d+)?$/i.test(rest);
  return isNumeral || isIdentifier(column) || needsMark(rest, column) ? rest : text;
}

/** The text of a cell whose formula no program has calculated yet. */
export const uncalculated = '#FORMULA!';

/** Error values of formulas, as spreadsheets in many languages show them: `#N/A`, `#WERT!`, `#¿NOMBRE?`, `#Н/Д`. */
const errorWords =
  'REF BEZUG RIF VERW ADR ССЫЛКА VALUE WERT VALEUR VALOR VALORE WAARDE ARG ЗНАЧ NAME NOM NOMBRE NOME NAAM NAZWA ИМЯ NUM NÚM ZAHL GETAL LICZBA ЧИСЛО NULL NUL NULO DIV/0 DEEL/0 DZIEL/0 ДЕЛ/0 SPILL CALC FIELD BLOCKED CONNECT FORMULA';
const errorCell = new RegExp(
  String.raw`^\s*(#[¡¿]?(${errorWords.replaceAll(' ', '|')})[!?]|#(N/[ADB]|Н/Д|I/T|NV|GETTING_DATA)!?|Err:\d{3})\s*$`,
);

/**
 * The value of a cell in a file of others, except for categories; undefined if it is blank.
 * @param isNumber whether the column is a custom field of numbers
 * @throws UnreadableCell
 */
export function readThirdPartyCell(
  column: string,
  cell: Cell,
  decimalMark: DecimalMark,
  isNumber: boolean,
): Json | undefined {
  if (isBlank(cell)) return undefined;
  if (typeof cell === 'number' && (isNumber || isAmount(column))) return cell;
  refuseError(String(cell));
  if (trimmed(String(cell)) === 'null') return null;
  const written = unprotected(String(cell), column);
  const text = trimmed(written);
  if (column === 'type') return text.toLowerCase();
  if (isIdentifier(column) || column === 'unit') return text;
  if (isNumber) return Number(text);
  // A name has one line; people press Alt+Enter where it is long.
  if (column === 'name') return inOneLine(written);
  const isText = kindOf(column) === 'any' || kindOf(column) === 'text';
  return isText ? written.trim() : readExportCell(column, text, decimalMark);
}

const inOneLine = (text: string): string =>
  text
    .split(/[\t\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

function refuseError(cell: string): void {
  const advice = 'stands for a formula that was never calculated: open the file in Excel and save it';
  if (cell.trim() === uncalculated) throw new UnreadableCell('formula', cell, advice);
  if (errorCell.test(cell)) throw new UnreadableCell('error_cell', cell, 'is an error in the spreadsheet');
}

const noValue = /^\s*(n\/a|NULL|\(null\)|\\N|nil|NaN|None|undefined|[-–—]+)\s*$/i;

/** Identifiers that a spreadsheet has taken for a number or a date: `9.78E+12`, `Mar-05`, `01. Mrz`. */
const power = /^\s*\d([.,]\d+)?E\+\d+\s*$/i;
const month =
  '([Jj]an|[Ff]e[bv]|[Mm](är|ar|rz|a[iy])|[Aa]([pv]r|ug)|[Jj]u[nli]|[Ss]ep|[Oo][ck]t|[Nn]ov|[Dd]e[cz])[a-z]*';
const date = new RegExp(`^\\s*(\\d{1,2}[-. ]+${month}\\.?|${month}[-. ]+\\d\\d|\\d{4}-\\d\\d-\\d\\d( [\\d:]+)?)\\s*$`);

/** UTF-8 that was read as Windows-1252, such as `Ã¼`, and replacement characters. */
const wrongEncoding = /[ÃÂ][\u0080-\u00bf‚-„†-‰Š-ž€ƒˆŒ‘-•–—˜™]|â€|\ufffd/;

/** Oddities of cells that are read, in words that continue "<column> …". */
export const cellWarnings = {
  lost_digits: () => 'has numbers of which the workbook keeps only 15 digits',
  became_number: () => 'has numbers in the workbook: zeros before them may be hidden there',
  long_digits: (cell: string) => `${quotedCell(cell)} is what a spreadsheet makes of long digits`,
  became_date: (cell: string) => `${quotedCell(cell)} is what a spreadsheet makes of a text that could be a date`,
  wrong_encoding: () => 'has letters that were saved in a wrong encoding',
  no_value: (cell: string) => `${quotedCell(cell)} is what programs write where there is no value`,
  percent_cells: (cell: string) =>
    `is shown in percent in the workbook: ${Number((Number(cell) * 100).toPrecision(12))} % is read as ${cell}`,
  rounded: (cell: string, decimals: number) => `${quotedCell(cell)} is rounded to ${decimals} decimals`,
} as const;

export function cellWarningOf(column: string, cell: Cell): keyof typeof cellWarnings | undefined {
  const text = String(cell);
  if (typeof cell === 'number' && Math.abs(cell) >= 1e15) return 'lost_digits';
  if (isIdentifier(column) && typeof cell === 'number') return 'became_number';
  if (isIdentifier(column) && power.test(text)) return 'long_digits';
  if (isIdentifier(column) && date.test(text)) return 'became_date';
  // A text that begins with a year was meant to be a date.
  if (isCustom(column) && date.test(text) && !/^\s*\d{4}/.test(text)) return 'became_date';
  if (wrongEncoding.test(text)) return 'wrong_encoding';
  return noValue.test(text) && text !== 'null' ? 'no_value' : undefined;
}
