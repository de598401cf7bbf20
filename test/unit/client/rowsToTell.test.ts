import { expect, it } from 'vitest';
import { expectsPrices, groupedProblems, hasNoPrice, isItemHere, totalsIn } from '../../../client/sheet/rowsToTell.ts';

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

it('a row of an export is the item of its id by a name or code, whatever columns it has lost', () => {
  const item = { name: 'Desk', sku: 'D-1', pn: null };
  const isHere = [{ name: 'Desk' }, { name: 'Table', sku: 'D-1' }, { name: 'Table' }, { pn: null }, {}];
  expect(isHere.map((row) => isItemHere(row, item))).toEqual([true, true, false, false, false]);
});

it('equal problems are told once, with their first lines and how many they are', () => {
  const problem = (field: string, reason: string) => ({ field, reason });
  const onRequest = problem('value', '"on request" must be a number');
  const rows = [5, 6, 7, 8].map((line) => [line, [onRequest]] as const);
  expect(groupedProblems([...rows, [9, [problem('name', 'is required'), onRequest]]])).toEqual([
    { problem: onRequest, lines: [5, 6, 7], count: 5 },
    { problem: problem('name', 'is required'), lines: [9], count: 1 },
  ]);
});

it('a row without a code is a total of a list if its price is the sum of those above that have one', () => {
  const rowsOf = (...rows: [value: number | undefined, sku?: string][]) =>
    totalsIn(rows.map(([value, sku], index) => ({ line: index + 1, body: { value, sku } })));
  expect(rowsOf([10, 'A'], [0.1, 'B'], [undefined], [10.1], [1, 'C'], [2, 'D'], [3], [13.1], [13.1])).toEqual([
    4, 7, 8, 9,
  ]);
  expect(rowsOf([1], [2], [3], [1, 'A'], [1], [0, 'B'], [0])).toEqual([]);
});

it.each([
  [[{ name: 'Price', target: 'value', source: 'answer' }], true],
  [[{ name: 'Tarif', target: 'ignore', source: 'answer' }], true],
  [[{ name: 'empty', target: 'ignore', source: 'empty' }], false],
  [[{ name: 'name', target: 'name', source: 'name' }], false],
] as const)('of a file with the columns %j, prices are expected: %j', (columns, isExpected) => {
  expect(expectsPrices(columns)).toBe(isExpected);
});
