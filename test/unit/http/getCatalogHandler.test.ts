import { describe, expect, it } from 'vitest';
import type { Permission } from '../../../lib/access/permissions.ts';
import type { Account } from '../../../lib/item/account.ts';
import { fieldNames } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';
import { fakeStore } from '../../support/fakeStore.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { readersOf } from '../../support/handlers.ts';
import { readCreate } from '../../support/readBody.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { defaultFields } from '../../support/sampleItem.ts';

const open = (account: Account = sampleAccount) => {
  const fake = fakeStore([], account);
  return { ...fake, ...readersOf(fake.openStore) };
};

describe('the reference data', () => {
  it("is the account's configuration, and who the caller is and may do, from the cache only", async () => {
    const { catalog, called, observed } = open();
    const permissions: Permission[] = ['catalog:edit'];
    const { name: _, ...product } = { ...defaultFields, tax: sampleAccount.defaultTax };
    expect(await catalog(gatewayEvent({ permissions }))).toEqual({
      status: 200,
      headers,
      body: {
        data: {
          categories: [
            { id: 1, name: 'General', archived: false },
            { id: 2, name: 'Furniture', archived: false },
            { id: 4, name: 'Old', archived: true },
          ],
          units: [...sampleAccount.units].map(([unit, decimals]) => ({ unit, decimals })),
          defaults: {
            product,
            service: { ...product, type: 'service', unit: 'hour' },
          },
          limits: {
            name: limits.name,
            unit: limits.unit,
            sku: limits.identifier,
            pn: limits.identifier,
            description: limits.description,
            tag: limits.tag,
            value: limits.value,
            qty: limits.qty,
            cost: limits.cost,
            tax: limits.tax,
            metadata: {
              key_length: { min: 1, max: 64 },
              levels: 5,
              string_length: 2_000,
              keys_per_request: 50,
              keys_stored: 100,
              values_per_request: 1_000,
              number: { min: 1e-130, max: 9.99e125 },
            },
            body: { bytes: 262_144 },
            search: limits.search,
            limit: { min: 1, max: 100, default: 50 },
          },
          permissions,
          account: 'acme',
          user: 'ann',
        },
      },
    });
    expect(called).toEqual(['account']);
    expect(observed).toMatchObject([{ operation: 'getCatalog', account: 'acme', status: 200 }]);
  });

  it('has the defaults of a create for each type', async () => {
    const { body } = await open().catalog(gatewayEvent());
    const { defaults } = (body as { data: { defaults: Record<string, object> } }).data;
    for (const type of ['product', 'service']) {
      const { name: _, ...created } = readCreate({ name: 'Chair', type }, sampleAccount);
      expect(defaults[type]).toEqual(created);
      expect(Object.keys({ name: '', ...defaults[type] })).toEqual(fieldNames);
    }
  });

  it('has the categories sorted by id, or an empty list', async () => {
    const named = (id: number) => [id, { name: `C${id}`, archived: false }] as const;
    const categories = async (ids: readonly number[]) => {
      const account = { ...sampleAccount, categories: new Map(ids.map(named)) };
      const { body } = await open(account).catalog(gatewayEvent());
      return (body as { data: { categories: { id: number }[] } }).data.categories.map(({ id }) => id);
    };
    expect(await categories([1, 10, 2])).toEqual([1, 2, 10]);
    expect(await categories([])).toEqual([]);
  });
});
