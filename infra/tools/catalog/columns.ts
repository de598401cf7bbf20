/** Lays out rows as aligned columns. */
export function columns(rows: readonly (readonly unknown[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => String(row[index]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => String(cell).padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
