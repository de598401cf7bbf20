/** The records of a sheet's text, before anything is known of its columns. */

import { type SheetQuestion, UnreadableSheet } from './notices.ts';

/** A number is one only in a workbook. */
export type Cell = string | number;

/** Whether a cell is a number as JSON writes it, so that none of its signs are lost: not `1.10`, `1E5` or `00123`. */
export const isShortestNumber = (cell: Cell): boolean =>
  /^-?\d+(\.\d+)?$/.test(String(cell)) && String(Number(cell)) === String(cell);

export interface SheetRecord {
  /** The line on which it begins, counted from 1, also empty ones and those within cells. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** A cell has a quote that is not closed. The record ends with its line. */
  readonly isBroken?: boolean;
  /** A cell goes on after its closing quote, so its quotes are a part of it. */
  readonly hasStrayQuote?: boolean;
}

interface ReadCell {
  readonly text: string;
  /** As it is in the file. */
  readonly written: string;
  readonly quote?: 'closed' | 'stray' | 'open';
}

/** Reads CSV. A quote that does not begin a cell, or that something follows, is a part of the text. */
export function* recordsIn(text: string, separator: string): Generator<SheetRecord, void> {
  const readCell = cellReader(text, separator);
  let [at, line] = [0, 1];
  while (at < text.length) {
    const read: ReadCell[] = [];
    for (let isLast = false; !isLast; at += 1) {
      const cell = readCell(at);
      read.push(cell);
      at += cell.written.length;
      isLast = text[at] !== separator;
    }
    if (text[at - 1] === '\r' && text[at] === '\n') at += 1;
    const has = (quote: ReadCell['quote']) => read.some((cell) => cell.quote === quote);
    yield { line, cells: read.map((cell) => cell.text), hasStrayQuote: has('stray'), isBroken: has('open') };
    line += read.reduce((sum, { written }) => sum + (written.match(/\r\n|[\r\n]/g)?.length ?? 0), 1);
  }
}

/** Reads the cell at a place. */
function cellReader(text: string, separator: string): (at: number) => ReadCell {
  const ends = `\\u{${separator.codePointAt(0)?.toString(16)}}\\r\\n`;
  // Blanks before and behind a quoted cell are nothing.
  const blanks = separator === ' ' ? '' : '[ \\u00a0]*';
  const quoted = new RegExp(`${blanks}"([^"]*(?:""[^"]*)*)"(?!")(?:${blanks}(?=[${ends}]|$)()|)`, 'uy');
  const plain = new RegExp(`[^${ends}]*`, 'uy');
  const readPlain = (from: number) => {
    plain.lastIndex = from;
    return plain.exec(text)?.[0] ?? '';
  };
  return (at) => {
    quoted.lastIndex = at;
    const [written = '', inner, isWhole] = quoted.exec(text) ?? [];
    if (inner === undefined) {
      const cell = readPlain(at);
      return cell.startsWith('"') ? { text: cell, written: cell, quote: 'open' } : { text: cell, written: cell };
    }
    if (isWhole !== undefined) return { text: inner.replaceAll('""', '"'), written, quote: 'closed' };
    // A quote that nobody has closed would take the rows up to the next one.
    const cell = /[\r\n]/.test(written) ? readPlain(at) : written + readPlain(at + written.length);
    return { text: cell, written: cell, quote: 'stray' };
  };
}

/** Whether a file begins as those of Excel do, `.xlsx` or the older `.xls`. */
export const isWorkbook = (bytes: Uint8Array): boolean =>
  ['80,75,3,4', '208,207,17,224'].includes(bytes.slice(0, 4).join());

/** Those of spreadsheets that do not write UTF-8: in the West, the East of Europe, Turkey, on a Mac, in Asia. */
const otherEncodings = 'windows-1252 windows-1250 windows-1251 windows-1254 macintosh shift_jis gb18030'.split(' ');

/**
 * The text of a file.
 * @param answer the encoding, if the user has said it
 * @throws UnreadableSheet with encodings that it may have, by how a line of it reads in them
 */
export function decode(bytes: Uint8Array, answer?: string): { readonly text: string; readonly encoding: string } {
  const [first, second] = bytes;
  // Without a mark, UTF-16 is known by the 0 beside its first line break.
  const at = bytes.indexOf(0x0a);
  const isBig = (first === 0xfe && second === 0xff) || (at % 2 === 1 && bytes[at - 1] === 0);
  const isLittle = (first === 0xff && second === 0xfe) || (at % 2 === 0 && bytes[at + 1] === 0);
  const encoding = answer ?? (isBig ? 'utf-16be' : isLittle ? 'utf-16le' : 'utf-8');
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    throw new UnreadableSheet([encodingQuestion(bytes, answer ?? 'UTF-8')]);
  }
}

function encodingQuestion(bytes: Uint8Array, encoding: string): SheetQuestion {
  const at = bytes.findIndex((byte) => byte > 0x7f);
  const [start, end] = [bytes.lastIndexOf(0x0a, at) + 1, bytes.indexOf(0x0a, at)];
  const line = bytes.subarray(Math.max(start, at - 40), end === -1 ? at + 40 : Math.min(end, at + 40));
  const encodings = new Map<string, string>();
  for (const name of otherEncodings) {
    const shown = new TextDecoder(name).decode(line).trim();
    if (shown !== '' && !encodings.has(shown)) encodings.set(shown, name);
  }
  const text = `The file is not ${encoding}. Say its encoding, or save it as "CSV UTF-8".`;
  const readings = Array.from(encodings, ([shown, answer]) => ({ answer, shown }));
  return { option: 'encoding', rule: 'encoding', values: { encoding }, text, readings };
}
