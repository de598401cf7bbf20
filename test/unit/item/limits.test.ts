import { describe, expect, it } from 'vitest';
import { fieldNames } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';

describe('the limits', () => {
  it('are those of spec 8, and those of this service where it is silent', () => {
    expect(limits).toEqual({
      name: { min: 1, max: 150 },
      unit: { max: 8 },
      identifier: { max: 45 },
      description: { max: 20_000 },
      tag: { max: 500 },
      value: { min: 0, max: 99_999_999.9999, decimals: 4 },
      qty: { min: 0, max: 99_999_999.9999 },
      cost: { min: 0, max: 99_999_999.9999, decimals: 4 },
      tax: { min: 0, max: 999_999.999999, decimals: 6 },
      metadata: {
        keyLength: { min: 1, max: 64 },
        levels: 5,
        stringLength: 2_000,
        keysPerRequest: 50,
        keysStored: 100,
        valuesPerKey: 200,
        valuesPerRequest: 1_000,
        number: { min: 1e-130, max: 9.99e125 },
      },
      search: { max: 150 },
      page: { min: 1, max: 100, default: 50 },
      listedName: 1_007,
      item: 409_600,
      body: 262_144,
      pageBytes: 5_242_880,
    });
  });

  it('follow the request fields in the order of spec table 2.1', () => {
    expect(fieldNames.join(' ')).toBe(
      'name type category value qty unit description active cost tax sku pn tag metadata',
    );
  });
});
