import { expect, it } from 'vitest';
import { expectsPrices, hasNoPrice } from '../../../client/sheet/missingPrices.ts';

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
