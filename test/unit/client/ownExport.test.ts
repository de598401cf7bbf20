import { expect, it } from 'vitest';
import { isItemHere } from '../../../client/import/1-read.ts';

it('a row of an export is the item of its id by a name or code, whatever columns it has lost', () => {
  const item = { name: 'Desk', sku: 'D-1', pn: null };
  const isHere = [{ name: 'Desk' }, { name: 'Table', sku: 'D-1' }, { name: 'Table' }, { pn: null }, {}];
  expect(isHere.map((row) => isItemHere(row, item))).toEqual([true, true, false, false, false]);
});
