/** Reads `.xlsx` files. Only this file brings a library for them. */
import { unzipSync } from 'fflate';
import { UnreadableFile } from './notices.ts';
import type { Cell, SheetRecord } from './records.ts';
import type { WorkbookSheet } from './sheetForm.ts';
import { isBlank, uncalculated } from './thirdPartyCells.ts';
import { attributesOf, tagsIn, type XmlTag } from './xml.ts';

/** The parts of a workbook that are read may have so many bytes together. */
const maxUnpacked = 50 * 1024 * 1024;

/** No workbook has more. */
const maxLines = 1_048_576;
const maxColumns = 16_384;

/** A row counts up to its last cell that is not blank. */
const maxCells = 5_000_000;

type Bytes = Uint8Array<ArrayBuffer>;

/** The parts that the sheets of a workbook share. */
interface Book {
  readonly strings: readonly string[];
  readonly styles: readonly NumberStyle[];
  readonly isFrom1904: boolean;
}

/** How a number is shown. */
type NumberStyle = 'date' | 'elapsed' | 'percent' | undefined;

/**
 * The sheets of a workbook that have cells, not charts.
 * @throws UnreadableFile if it is none, or is too large
 */
export function readWorkbook(bytes: Bytes): WorkbookSheet[] {
  try {
    return sheetsIn(unpack(bytes));
  } catch (error) {
    throw error instanceof UnreadableFile ? error : notWorkbook();
  }
}

const notWorkbook = () =>
  new UnreadableFile('The file cannot be read as .xlsx: save it in Excel as .xlsx or "CSV UTF-8".');

const tooLarge = (what: string) => new UnreadableFile(`${what}. Save the sheet as "CSV UTF-8".`);

/** The XML parts of an archive, each of which gets as much memory as the archive says. One that is longer is cut off. */
function unpack(bytes: Bytes): (path: string) => string {
  let left = maxUnpacked;
  const parts = unzipSync(bytes, {
    filter: ({ name, size, originalSize }) => {
      if (!/\.(xml|rels)$/.test(name)) return false;
      left -= Math.max(size, originalSize);
      if (left < 0) throw tooLarge('The file has more than 50 MB when it is unpacked');
      return true;
    },
  });
  return (path) => {
    if (parts[path] === undefined) throw notWorkbook();
    return new TextDecoder().decode(parts[path]);
  };
}

function sheetsIn(part: (path: string) => string): WorkbookSheet[] {
  const relations = openings(part('xl/_rels/workbook.xml.rels'), 'Relationship').map((relation) => {
    const target = relation.get('Target') ?? '';
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    return { id: relation.get('Id'), kind: relation.get('Type')?.split('/').at(-1), path };
  });
  const shared = (kind: string) =>
    relations.filter((relation) => relation.kind === kind).map(({ path }) => part(path))[0] ?? '';
  const workbook = part('xl/workbook.xml');
  const book: Book = {
    strings: sharedStrings(shared('sharedStrings')),
    styles: numberStyles(shared('styles')),
    isFrom1904: openings(workbook, 'workbookPr').some((each) => isTrue(each.get('date1904'))),
  };
  return openings(workbook, 'sheet').flatMap((sheet) => {
    const relation = relations.find(({ id, kind }) => id === sheet.get('id') && kind === 'worksheet');
    return relation === undefined ? [] : [readSheet(unescaped(sheet.get('name') ?? ''), part(relation.path), book)];
  });
}

/** The attributes of all elements of a name. */
function openings(xml: string, name: string): Map<string, string>[] {
  const found: Map<string, string>[] = [];
  for (const tag of tagsIn(xml)) if (tag.name === name && tag.isOpening) found.push(attributesOf(tag));
  return found;
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** In texts, characters that XML cannot have are written as `_x000D_`. */
const unescaped = (text: string): string =>
  text.replaceAll(/_x([\dA-F]{4})_/gi, (_, code) => String.fromCharCode(Number(`0x${code}`)));

/** Whether a tag ends a part of a text, which is not how the text is spoken. */
const endsText = ({ name, parent, isClosing }: XmlTag): boolean => name === 't' && parent !== 'rPh' && isClosing;

function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = '';
  for (const tag of tagsIn(xml)) {
    if (endsText(tag)) text += tag.text;
    if (tag.name !== 'si' || !tag.isClosing) continue;
    strings.push(unescaped(text));
    text = '';
  }
  return strings;
}

function numberStyles(xml: string): NumberStyle[] {
  const codes = new Map<string, string>();
  const styles: NumberStyle[] = [];
  for (const tag of tagsIn(xml)) {
    if (!tag.isOpening || (tag.name !== 'numFmt' && tag.name !== 'xf')) continue;
    const attributes = attributesOf(tag);
    const format = attributes.get('numFmtId') ?? '';
    if (tag.name === 'numFmt') codes.set(format, attributes.get('formatCode') ?? '');
    else if (tag.parent === 'cellXfs') styles.push(builtIn(Number(format)) ?? numberStyle(codes.get(format) ?? ''));
  }
  return styles;
}

/** The formats that each Excel has, also those of East Asia and Thailand. */
const builtInDates = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
  [71, 81],
] as const;

function builtIn(format: number): NumberStyle {
  if (format === 46) return 'elapsed';
  if (builtInDates.some(([first, last]) => format >= first && format <= last)) return 'date';
  return format === 9 || format === 10 ? 'percent' : undefined;
}

/** The style of a format such as `[$-409]d-mmm-yy;@`. */
function numberStyle(code: string): NumberStyle {
  const bare = code
    .replaceAll(/\\./g, '')
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\[(?!(h+|m+|s+)\])[^[\]]*\]/gi, '')
    .replaceAll(/s[.,]0+/gi, 's');
  if (bare.includes('%')) return 'percent';
  const isDate = bare.split(';').some((part) => /[ymdhs]/i.test(part) && !/[0#?]/.test(part));
  if (isDate) return bare.includes('[') ? 'elapsed' : 'date';
  return undefined;
}

/** A cell whose tags are being read. */
interface OpenCell {
  readonly type: string;
  readonly style: NumberStyle;
  hasFormula: boolean;
  text: string;
}

function readSheet(sheet: string, xml: string, book: Book): WorkbookSheet {
  const rows = new SheetRows(sheet);
  const hidden: number[] = [];
  const merged: number[] = [];
  const percents = new Set<string>();
  let [line, at] = [0, -1];
  let open: OpenCell | undefined;
  for (const tag of tagsIn(xml)) {
    if (tag.name === 'row' && tag.isOpening) {
      const attributes = attributesOf(tag);
      // Power BI and others write no addresses: then a row is below the one before it, and a cell beside it.
      [line, at] = addressOf(attributes.get('r')) ?? [line + 1, -1];
      if (isTrue(attributes.get('hidden'))) hidden.push(line);
    }
    if (tag.name === 'c' && tag.isOpening) {
      const attributes = attributesOf(tag);
      [line, at] = addressOf(attributes.get('r')) ?? [line, at + 1];
      const style = book.styles[Number(attributes.get('s') ?? 0)];
      if (style === 'percent') percents.add(`${line}:${at}`);
      open = { style, type: attributes.get('t') ?? 'n', hasFormula: false, text: '' };
    }
    if (open !== undefined && tag.name === 'f') open.hasFormula = true;
    if (open !== undefined && (endsText(tag) || (tag.name === 'v' && tag.isClosing))) open.text += tag.text;
    if (open !== undefined && tag.name === 'c' && tag.isClosing) {
      rows.set(line, at, cellOf(open, book));
      open = undefined;
    }
    if (tag.name === 'mergeCell' && tag.isOpening) {
      const [first, last] = (attributesOf(tag).get('ref') ?? '').split(':').map(addressOf);
      if (first === undefined || last === undefined || first[0] === last[0]) continue;
      const [from, column] = first;
      merged.push(from);
      rows.copyDown(column, from, last[0]);
    }
  }
  return { sheet, records: rows.records, hidden, merged, percents };
}

/** The filled rows of a sheet, which are in order. */
class SheetRows {
  readonly #sheet: string;
  readonly #rows = new Map<number, Cell[]>();
  #last = 0;
  #left = maxCells;

  constructor(sheet: string) {
    this.#sheet = sheet;
  }

  get records(): SheetRecord[] {
    return Array.from(this.#rows, ([line, cells]) => ({ line, cells }));
  }

  set(line: number, at: number, cell: Cell): void {
    if (line < this.#last || line > maxLines || at >= maxColumns) throw notWorkbook();
    if (isBlank(cell)) return;
    const cells = this.#rows.get(line) ?? [];
    this.#rows.set(line, cells);
    this.#last = line;
    this.#put(cells, at, cell);
  }

  /** Cells that are merged over rows have the value of the first one. */
  copyDown(at: number, from: number, to: number): void {
    const cell = this.#rows.get(from)?.[at] ?? '';
    for (let line = from + 1; line <= Math.min(to, this.#last); line += 1)
      this.#put(this.#rows.get(line) ?? [], at, cell);
  }

  #put(cells: Cell[], at: number, cell: Cell): void {
    this.#left -= Math.max(1, at + 1 - cells.length);
    if (this.#left < 0) throw tooLarge(`The sheet "${this.#sheet}" reaches over more than 5,000,000 cells`);
    while (cells.length < at) cells.push('');
    cells[at] = cell;
  }
}

/** The line, counted from 1, and the place of the column, counted from 0: of `AA7` 7 and 26, of a row `7` 7 and -1. */
function addressOf(address: string | undefined): [line: number, at: number] | undefined {
  if (address === undefined) return undefined;
  const [, letters = '', digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(address) ?? [];
  if (digits === undefined) throw notWorkbook();
  const number = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return [Number(digits), number - 1];
}

function cellOf({ type, style, text, hasFormula }: OpenCell, { strings, isFrom1904 }: Book): Cell {
  // A formula may give an empty text.
  if (text === '') return hasFormula && type !== 'str' ? uncalculated : '';
  if (type === 'str' || type === 'inlineStr') return unescaped(text);
  if (type === 'e') return text;
  if (type === 'b') return String(isTrue(text));
  if (type === 'd') return dateCell(text.replace(/(\.\d+)?Z?$/, ''));
  if (type === 's') {
    const shared = strings[Number(text)];
    if (shared === undefined) throw notWorkbook();
    return shared;
  }
  const number = Number(text);
  if (!Number.isFinite(number)) throw notWorkbook();
  // Excel shows 15 digits of a number and whole seconds of a day, and keeps a little more or less.
  const isTime = style === 'date' || style === 'elapsed';
  if (!isTime || number < 0 || number >= endOfDates) return Number(number.toPrecision(15));
  if (style === 'elapsed') return elapsedCell(Math.round(number * 86_400));
  const beforeLeapDay = number < leapDay1900 ? 1 : 0;
  const seconds = Math.round((number - daysBefore1970 + (isFrom1904 ? daysUntil1904 : beforeLeapDay)) * 86_400);
  const date = new Date(seconds * 1_000).toISOString().replace('.000Z', '');
  return number < 1 ? date.slice('1900-01-01T'.length) : dateCell(date);
}

const daysBefore1970 = 25_569;
const daysUntil1904 = 1_462;
/** Excel counts a 29 February 1900, which no calendar has. */
const leapDay1900 = 60;
/** Excel knows no days after the year 9999. */
const endOfDates = 2_958_466;

/** Hours, which may be more than a day has, minutes and seconds. */
function elapsedCell(seconds: number): string {
  const hours = String(Math.floor(seconds / 3_600)).padStart(2, '0');
  return hours + new Date(seconds * 1_000).toISOString().slice('1970-01-01T00'.length, -'.000Z'.length);
}

/** @param date as in ISO 8601 */
function dateCell(date: string): string {
  const [day = '', time = '00:00:00'] = date.split('T');
  return time === '00:00:00' ? day : `${day} ${time}`;
}
