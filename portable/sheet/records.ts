/** The records of a sheet's text, before anything is known of its columns. */

/** A number is one only in a workbook. */
export type Cell = string | number;

/** What only the user can know. Nothing of the file can be written before it is answered. */
export interface SheetQuestion {
  /** The answer that is missing, or is wrong. */
  readonly option: 'encoding' | 'sheet' | 'separator' | 'header' | 'columns' | 'decimal';
  readonly text: string;
  /** Answers that can be given, with what the file would say. */
  readonly readings: readonly { readonly answer: string; readonly shown: string }[];
}

export interface SheetRecord {
  /** The line on which it begins, counted from 1, also empty ones and those within cells. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The last cell has a quote that is not closed, so the rest of the file is in it. */
  readonly isBroken?: true;
  /** A cell goes on after its closing quote, so its quotes are a part of it. */
  readonly hasStrayQuote?: boolean;
}

/** Reads CSV. A quote that does not begin a cell, or that something follows, is a part of the text. */
export function* recordsIn(text: string, separator: string): Generator<SheetRecord, void> {
  const ends = new RegExp(`[\\u{${separator.codePointAt(0)?.toString(16)}}\r\n]`, 'gu');
  for (let [at, line] = [0, 1]; at < text.length; line += 1) {
    const cells: string[] = [];
    const record = { line, cells, hasStrayQuote: false };
    for (let isLast = false; !isLast; at += 1) {
      const closing = text[at] === '"' ? closingQuote(text, at + 1) : undefined;
      if (closing === -1) return yield { ...record, isBroken: true };
      ends.lastIndex = closing === undefined ? at : closing + 1;
      const end = ends.exec(text)?.index ?? text.length;
      const isQuoted = closing !== undefined && end === closing + 1;
      record.hasStrayQuote ||= closing !== undefined && !isQuoted;
      cells.push(isQuoted ? text.slice(at + 1, closing).replaceAll('""', '"') : text.slice(at, end));
      if (closing !== undefined) line += text.slice(at, closing).match(/\r\n|[\r\n]/g)?.length ?? 0;
      [at, isLast] = [end, text[end] !== separator];
    }
    if (text[at - 1] === '\r' && text[at] === '\n') at += 1;
    yield record;
  }
}

/** The place of a quote that is not doubled; -1: there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** How well a separator divides all of a text into rows of one width, from 0 to 1. */
export function fitOf(separator: string, text: string): number {
  const widths = new Map<number, number>();
  let rows = 0;
  for (const { cells } of recordsIn(text, separator)) {
    if (cells.every((cell) => String(cell).trim() === '')) continue;
    rows += 1;
    if (cells.length > 1) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
  }
  return Math.max(0, ...widths.values()) / Math.max(1, rows);
}

/** Whether a file begins as those of Excel do, `.xlsx` or the older `.xls`. */
export const isWorkbook = (bytes: Uint8Array): boolean =>
  ['80,75,3,4', '208,207,17,224'].includes(bytes.slice(0, 4).join());

/** Those of spreadsheets that do not write UTF-8: in the West, the East of Europe, Turkey, on a Mac, in Asia. */
const otherEncodings = 'windows-1252 windows-1250 windows-1251 windows-1254 macintosh shift_jis gb18030'.split(' ');

/**
 * The text of a file, or encodings that it may have by how a line of it reads in them.
 * @param said the encoding, if the user has said it
 */
export function decode(
  bytes: Uint8Array,
  said?: string,
): { readonly text: string; readonly encoding: string } | Pick<SheetQuestion, 'readings'> {
  const [first, second] = bytes;
  const isBig = first === 0 || (first === 0xfe && second === 0xff);
  const isLittle = second === 0 || (first === 0xff && second === 0xfe);
  const encoding = said ?? (isBig ? 'utf-16be' : isLittle ? 'utf-16le' : 'utf-8');
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    const at = bytes.findIndex((byte) => byte > 0x7f);
    const end = bytes.indexOf(0x0a, at);
    const line = bytes.subarray(
      Math.max(bytes.lastIndexOf(0x0a, at) + 1, at - 40),
      end === -1 ? at + 40 : Math.min(end, at + 40),
    );
    const shown = otherEncodings.map((answer) => ({ answer, shown: new TextDecoder(answer).decode(line).trim() }));
    const isFirst = (text: string, place: number) => shown.findIndex((other) => other.shown === text) === place;
    return { readings: shown.filter((one, place) => one.shown !== '' && isFirst(one.shown, place)) };
  }
}
