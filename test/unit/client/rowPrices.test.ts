import { expect, it } from 'vitest';
import { expectsPrices, findTotals, hasNoPrice } from '../../../client/sheet/rowPrices.ts';

it('a row without an identifier is a list’s total if its price is the sum of those above that have one', () => {
  const rowsOf = (...rows: [value: number | undefined, sku?: string][]) =>
    findTotals(rows.map(([value, sku], index) => ({ line: index + 1, body: { value, sku } })));
  expect(rowsOf([10, 'A'], [0.1, 'B'], [undefined], [10.1], [1, 'C'], [2, 'D'], [3], [13.1], [13.1])).toEqual([
    4, 7, 8, 9,
  ]);
  expect(rowsOf([1], [2], [3], [1, 'A'], [1], [0, 'B'], [0])).toEqual([]);
});

it.each([
  [{}, true],
  [{ value: null }, true],
  [{ value: 0.00004 }, true],
  [{ value: 0.00005 }, false],
  [{ value: 0 }, false],
  [{ value: 12 }, false],
  [{ value: -1 }, false],
])('%j has a price that nobody has written: %j', (row, isWithout) => {
  expect(hasNoPrice(row)).toBe(isWithout);
});

it.each([
  [[{ name: 'Price', target: 'value', source: 'answer' }], true],
  [[{ name: 'Tarif', target: 'ignore', source: 'answer' }], true],
  [[{ name: 'Tarif', target: 'metadata.Tarif', source: 'others' }], true],
  [[{ name: 'VK', target: 'metadata.VK', source: 'answer', examples: ['99,00'] }], true],
  [[{ name: 'Size', target: 'metadata.Size', source: 'answer', examples: ['38'] }], false],
  [[{ name: 'Cost', target: 'cost', source: 'name' }], true],
  [[{ name: 'metadata.color', target: 'metadata.color', source: 'name' }], false],
  [[{ name: 'empty', target: 'ignore', source: 'empty' }], false],
  [[{ name: 'name', target: 'name', source: 'name' }], false],
] as const)('of a file with the columns %j, prices are expected: %j', (columns, isExpected) => {
  expect(expectsPrices(columns)).toBe(isExpected);
});
