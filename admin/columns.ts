import { escaped } from '../cli/print.ts';

/** Formats a number of things, such as 1,000. */
export const count = (number: number): string => Math.round(number).toLocaleString('en');

/** Lays out rows as aligned columns. Cells are escaped, so that each stays on one line. */
export function columns(cells: readonly (readonly unknown[])[]): string {
  const rows = cells.map((row) => row.map((cell) => escaped(String(cell))));
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
