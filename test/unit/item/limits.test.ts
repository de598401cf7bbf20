import { expect, it } from 'vitest';
import { fieldNames } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';

it('the limits of fields are those of spec 8', () => {
  expect(limits).toMatchObject({
    name: { min: 1, max: 150 },
    unit: { max: 8 },
    identifier: { max: 45 },
    value: { min: 0, max: 99_999_999.9999, decimals: 4 },
    qty: { min: 0, max: 99_999_999.9999 },
    cost: { min: 0, max: 99_999_999.9999, decimals: 4 },
    tax: { min: 0, max: 999_999.999999, decimals: 6 },
  });
});

it('the request fields are in the order of spec table 2.1', () => {
  expect(fieldNames.join(' ')).toBe(
    'name type category value qty unit description active cost tax sku pn tag metadata',
  );
});
