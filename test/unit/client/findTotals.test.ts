import { expect, it } from 'vitest';
import { findTotals } from '../../../client/sheet/findTotals.ts';

it('a row without an identifier is a list’s total if its price is the sum of those above that have one', () => {
  const rowsOf = (...rows: [value: number | undefined, sku?: string][]) =>
    findTotals(rows.map(([value, sku], index) => ({ line: index + 1, body: { value, sku } })));
  expect(rowsOf([10, 'A'], [0.1, 'B'], [undefined], [10.1], [1, 'C'], [2, 'D'], [3], [13.1], [13.1])).toEqual([
    4, 7, 8, 9,
  ]);
  expect(rowsOf([1], [2], [3], [1, 'A'], [1], [0, 'B'], [0])).toEqual([]);
});
