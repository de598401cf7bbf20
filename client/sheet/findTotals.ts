/** The lines without an identifier whose price is the sum of those above that have one: totals of a list. */
export function findTotals(
  rows: readonly { readonly line: number; readonly body: { readonly [field: string]: unknown } }[],
): number[] {
  let [sinceOther, all, added] = [0, 0, 0];
  return rows.flatMap(({ line, body: { value, sku, pn } }) => {
    if (typeof value !== 'number' || value <= 0) return [];
    if (typeof (sku ?? pn) === 'string') {
      [sinceOther, all, added] = [sinceOther + value, all + value, added + 1];
      return [];
    }
    const isTotal = added > 1 && [sinceOther, all].some((sum) => Math.abs(sum - value) < 0.005);
    sinceOther = 0;
    return isTotal ? [line] : [];
  });
}
