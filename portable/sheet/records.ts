/** The records of a CSV file, as csv-parse reads them. The library is the caller's: Node and browsers have their own. */
import type { DecimalMark } from './cells.ts';
import { type ReadRow, readCells, unreadable } from './columns.ts';

/** Besides the separator. */
export const recordOptions = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  info: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  /** A longer row would not fit an item. Usually a quote was not closed. */
  max_record_size: 8 * 1024 * 1024,
  skip_records_with_error: true,
};

/** What csv-parse gives with these options. */
export interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly empty_lines: number };
}

/** Counts lines from 1, also empty ones and those within cells. */
export class LineCounter {
  /** The line after the last record. */
  next = 1;
  #empty = 0;

  /** @returns the line on which the next record begins */
  lineOf({ record, info }: CsvRecord): number {
    const line = this.next + info.empty_lines - this.#empty;
    // The parser counts \r\n in a cell as two lines.
    this.next = line + 1 + (record.join().match(/\r\n|[\r\n]/g)?.length ?? 0);
    this.#empty = info.empty_lines;
    return line;
  }
}

/** What follows when the parser has skipped a record. */
export const unreadableRest = unreadable(
  'is too long, or has a quote that is not closed; the file was not read beyond it',
);

/** Reads a record after the first, with its cells by column. */
export function readRecord(
  record: readonly string[],
  columns: readonly string[],
  decimalMark: DecimalMark,
): ReadRow & { readonly source: Readonly<Record<string, string>> } {
  const source = Object.fromEntries(columns.map((column, index) => [column, record[index] ?? '']));
  const reason = `has ${record.length} cells instead of ${columns.length}`;
  return { ...(record.length > columns.length ? unreadable(reason) : readCells(source, decimalMark)), source };
}

/** How decimals are written if nobody says it. */
export const decimalMarkBeside = (separator: string): DecimalMark => (separator === ',' ? '.' : undefined);
