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
  readonly isBroken?: true;
  /** A cell goes on after its closing quote, so its quotes are a part of it. */
  readonly hasStrayQuote?: boolean;
}

interface ReadCell {
  readonly text: string;
  /** The place behind it. */
  readonly end: number;
  readonly kind: 'plain' | 'quoted' | 'stray' | 'broken';
}

/** Reads CSV. A quote that does not begin a cell, or that something follows, is a part of the text. */
export function* recordsIn(text: string, separator: string): Generator<SheetRecord, void> {
  const readCell = cellReader(text, separator);
  for (let [at, line] = [0, 1]; at < text.length; line += 1) {
    const cells: string[] = [];
    const kinds = new Set<ReadCell['kind']>();
    const first = line;
    for (let isLast = false; !isLast; at += 1) {
      const cell = readCell(at);
      cells.push(cell.text);
      kinds.add(cell.kind);
      if (cell.kind === 'quoted') line += text.slice(at, cell.end).match(/\r\n|[\r\n]/g)?.length ?? 0;
      [at, isLast] = [cell.end, text[cell.end] !== separator];
    }
    if (text[at - 1] === '\r' && text[at] === '\n') at += 1;
    yield { line: first, cells, hasStrayQuote: kinds.has('stray'), ...(kinds.has('broken') && { isBroken: true }) };
  }
}

/** Blanks before and behind a quoted cell are nothing. */
const blanks = /[ \u00a0]*/y;

function behindBlanks(text: string, from: number, separator: string): number {
  if (separator === ' ') return from;
  blanks.lastIndex = from;
  return from + (blanks.exec(text)?.[0].length ?? 0);
}

/** Reads the cell at a place. */
function cellReader(text: string, separator: string): (at: number) => ReadCell {
  const ends = new RegExp(`[\\u{${separator.codePointAt(0)?.toString(16)}}\r\n]`, 'gu');
  const endAfter = (from: number) => {
    ends.lastIndex = from;
    return ends.exec(text)?.index ?? text.length;
  };
  return (at) => {
    const opening = behindBlanks(text, at, separator);
    const closing = text[opening] === '"' ? closingQuote(text, opening + 1) : undefined;
    const plain = (kind: ReadCell['kind'], from = at): ReadCell => {
      const end = endAfter(from);
      return { text: text.slice(at, end), end, kind };
    };
    if (closing === undefined) return plain('plain');
    if (closing === -1) return plain(opening === at ? 'broken' : 'plain');
    const end = behindBlanks(text, closing + 1, separator);
    if (endAfter(end) === end)
      return { text: text.slice(opening + 1, closing).replaceAll('""', '"'), end, kind: 'quoted' };
    // A quote that nobody has closed would take the rows up to the next one.
    return /[\r\n]/.test(text.slice(at, closing)) ? plain('stray') : plain('stray', closing + 1);
  };
}

/** The place of a quote that is not doubled; -1: there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** The beginning of a file is enough to find its separator. */
const rowsToFit = 1_000;

/** How well a separator divides a text into rows of one width, from 0 to 1. */
export function fitOf(separator: string, text: string): number {
  const widths = new Map<number, number>();
  let rows = 0;
  for (const { cells } of recordsIn(text, separator)) {
    if (cells.every((cell) => String(cell).trim() === '')) continue;
    if (rows === rowsToFit) break;
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
