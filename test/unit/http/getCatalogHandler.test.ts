import { describe, expect, it } from 'vitest';
import { presentCatalog } from '../../../lib/http/getCatalogHandler.ts';
import { limits } from '../../../lib/item/limits.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { defaultFields } from '../../support/items/sampleItem.ts';
import { testCaller } from '../../support/lambda/gatewayEvent.ts';

const present = (account = sampleAccount) =>
  presentCatalog(account, testCaller('acme', { permissions: ['catalog:edit'] }));

describe('the reference data', () => {
  it("is the account's configuration, and who the caller is and may do", () => {
    const { name: _, ...product } = { ...defaultFields, tax: sampleAccount.defaultTax };
    expect(present()).toEqual({
      categories: [
        { id: 1, name: 'General', archived: false },
        { id: 2, name: 'Furniture', archived: false },
        { id: 4, name: 'Old', archived: true },
      ],
      units: [...sampleAccount.units].map(([unit, decimals]) => ({ unit, decimals })),
      defaults: { product, service: { ...product, type: 'service', unit: 'hour' } },
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
          keys_per_request: 100,
          keys_stored: 100,
          values_per_request: 1_000,
          number: { min: 1e-130, max: 9.99e125 },
        },
        body: { bytes: 262_144 },
        rows: { min: 1, max: 50 },
        search: limits.search,
        limit: { min: 1, max: 100, default: 50 },
      },
      permissions: ['catalog:edit'],
      account: 'acme',
      user: 'user-1',
    });
  });
});
