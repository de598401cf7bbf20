import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../lib/access/caller.ts';
import { presentItem } from '../../../lib/http/presenter.ts';
import type { Item } from '../../../lib/item/item.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';

const editor: Caller = {
  account: 'acme',
  user: 'ann',
  permissions: ['catalog:edit', 'catalog:cost:read'],
  expiresAt: 0,
};

describe('an item in a response', () => {
  it('has its fields in the order of spec table 2.1, whatever their stored order', () => {
    const names = Object.keys(sampleItem) as (keyof Item)[];
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: names.length }), (order) => {
        const item = Object.fromEntries(order.map((name) => [name, sampleItem[name]])) as unknown as Item;
        expect(Object.keys(presentItem(item, 'Furniture', editor)).join(' ')).toBe(
          'id name type category category_name value qty unit description active cost tax sku pn tag metadata create_date revision updated_at updated_by',
        );
      }),
    );
  });

  it.each([
    [0, '1970-01-01T00:00:00+00:00'],
    [999, '1970-01-01T00:00:00+00:00'],
    [Date.UTC(2024, 1, 29, 23, 59, 59, 999), '2024-02-29T23:59:59+00:00'],
  ])('has its creation time to the second, with an offset: %i is %s', (createdAt, create_date) => {
    expect(presentItem({ ...sampleItem, createdAt }, null, editor)['create_date']).toBe(create_date);
  });
});
