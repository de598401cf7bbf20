import { expect, it } from 'vitest';
import { expectsPrices, groupedProblems, hasNoPrice, isItemHere } from '../../../portable/sheet/rowsToTell.ts';

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

it('a row of an export is an item here by its id and a name or code, whatever columns it has lost', () => {
  const item = { id: 7, name: 'Desk', sku: 'D-1', pn: null };
  const row = (id: number, body: object) => isItemHere({ id, body: { ...body } }, item);
  expect([row(7, { name: 'Desk' }), row(7, { name: 'Table', sku: 'D-1' })]).toEqual([true, true]);
  expect([row(7, { name: 'Table' }), row(8, { name: 'Desk' }), row(7, { pn: null }), row(7, {})]).toEqual(
    Array(4).fill(false),
  );
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

it.each([
  [[{ name: 'Price', target: 'value', why: 'said' }], true],
  [[{ name: 'Tarif', target: 'ignore', why: 'said' }], true],
  [[{ name: 'empty', target: 'ignore', why: 'empty' }], false],
  [[{ name: 'name', target: 'name', why: 'name' }], false],
] as const)('of a file with the columns %j, prices are expected: %j', (columns, isExpected) => {
  expect(expectsPrices(columns)).toBe(isExpected);
});
