/** How CSV files of items are written. It needs no library, for pages that offer a download. */
import type { FieldProblem } from '../../lib/item/fields.ts';

/** Every cell is quoted, because a few rules decide which ones must be. */
export const csvLine = (cells: readonly unknown[], separator = ','): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(separator)}\r\n`;

/** A row that was rejected, as it was read. */
export interface RejectedRow {
  readonly line: number;
  /** By column. */
  readonly cells: Readonly<Record<string, string>>;
  readonly problems: readonly FieldProblem[];
}

export const rejectColumns: readonly string[] = ['reject_line', 'reject_field', 'reject_reason'];

/** The first line of a file of rejected rows, with the mark by which spreadsheets know UTF-8. */
export const rejectHead = (columns: readonly string[], separator: string): string =>
  `\ufeff${csvLine([...withoutRejects(columns), ...rejectColumns], separator)}`;

export function rejectLine(columns: readonly string[], separator: string, { line, cells, problems }: RejectedRow) {
  const fields = problems.map(({ field }) => field).join('; ');
  const reasons = problems.map(({ path = '', reason }) => `${path} ${reason}`.trim()).join('; ');
  return csvLine([...withoutRejects(columns).map((column) => cells[column] ?? ''), line, fields, reasons], separator);
}

/** Rejected rows that were mended may be rejected again. */
const withoutRejects = (columns: readonly string[]) => columns.filter((column) => !rejectColumns.includes(column));
