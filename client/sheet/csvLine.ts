/** How CSV files of items are written. It needs no library, for pages that offer a download. */
import type { FieldProblem } from '../../lib/item/fields.ts';
import { isShortestNumber } from './records.ts';

/** Every cell is quoted, because a few rules decide which ones must be. */
export const csvLine = (cells: readonly unknown[], separator = ','): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(separator)}\r\n`;

/** A spreadsheet runs a cell that begins like this. */
export const runsInSpreadsheet = /^[=+\-@\t\r\n＝＋－＠]/;

/** A cell as it is written where a spreadsheet may open it. `-5` is no formula. */
export const harmless = (cell: string): string =>
  runsInSpreadsheet.test(cell) && !/^[-+][\d.,]+(e[-+]\d+)?$/.test(cell) ? `'${cell}` : cell;

/** A row that was rejected, as it was read. */
export interface RejectedRow {
  readonly line: number;
  /** By column. */
  readonly cells: Readonly<Record<string, string>>;
  readonly problems: readonly FieldProblem[];
}

/** The parts of a sheet that a file of its rejected rows repeats. */
export interface RejectedSheet {
  readonly columns: readonly string[];
  readonly separator: string;
  /** The columns whose cells are texts, although some look like numbers. They stay texts when they come back. */
  readonly texts: readonly string[];
}

export const rejectColumns: readonly string[] = ['reject_line', 'reject_field', 'reject_reason'];

/** The first line of a file of rejected rows, with the mark by which spreadsheets know UTF-8. */
export const rejectHead = ({ columns, separator }: RejectedSheet): string =>
  `\ufeff${csvLine([...withoutRejects(columns).map(harmless), ...rejectColumns], separator)}`;

export function rejectLine(sheet: RejectedSheet, { line, cells, problems }: RejectedRow): string {
  const fields = problems.map(({ field }) => field).join('; ');
  const reasons = problems.map(({ path = '', reason }) => `${path} ${reason}`.trim()).join('; ');
  const written = withoutRejects(sheet.columns).map((column) => {
    const cell = cells[column] ?? '';
    return sheet.texts.includes(column) && isShortestNumber(cell) ? `'${cell}` : harmless(cell);
  });
  return csvLine([...written, line, fields, harmless(reasons)], sheet.separator);
}

/** Rejected rows that were fixed may be rejected again. */
const withoutRejects = (columns: readonly string[]) => columns.filter((column) => !rejectColumns.includes(column));
