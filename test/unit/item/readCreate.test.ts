import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialUnits } from '../../../lib/item/account.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import { fieldNames } from '../../../lib/item/fields.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { acceptedBody, anyBody } from '../../support/items/arbitraries.ts';
import { readCreate } from '../../support/items/readBody.ts';
import { refusalOf } from '../../support/items/refusalOf.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { defaultFields } from '../../support/items/sampleItem.ts';

const read = (body: JsonObject) => readCreate(body, sampleAccount);

/** What a product with a name alone becomes (spec table 2.1). */
const chair = { ...defaultFields, tax: sampleAccount.defaultTax };

describe('parsing a create', () => {
  it('fills in the defaults of spec table 2.1, including the category and tax of the account', () => {
    expect(read({ name: 'Chair' })).toEqual(chair);
  });

  it('uses the unit hour for a service unless it names one (spec 4.1 rule 3)', () => {
    expect(read({ name: 'Chair', type: 'service' })).toEqual({ ...chair, type: 'service', unit: 'hour' });
    expect(read({ name: 'Chair', type: 'service', unit: 'un' })).toEqual({ ...chair, type: 'service' });
  });

  it('sets no category for null, or if the account has no default (spec 4.1 rule 2)', () => {
    expect(read({ name: 'Chair', category: null })).toEqual({ ...chair, category: null });
    expect(readCreate({ name: 'Chair' }, { ...sampleAccount, defaultCategory: null })).toEqual({
      ...chair,
      category: null,
    });
  });

  it('uses an archived default category, although no request can choose it', () => {
    expect(readCreate({ name: 'Chair' }, { ...sampleAccount, defaultCategory: 4 })).toEqual({
      ...chair,
      category: 4,
    });
  });

  it('treats zero, false and the empty string as values', () => {
    const sent = { value: 0, qty: 0, cost: 0, tax: 0, active: 0, description: '', tag: '', sku: '', pn: ' ' };
    expect(read({ name: 'Chair', ...sent })).toEqual({
      ...chair,
      qty: 0,
      tax: 0,
      active: false,
      description: '',
      tag: '',
    });
  });

  it.each([
    [{ qty: 1.005, unit: 'hour' }, 1.01],
    [{ qty: 1.005, unit: 'kg' }, 1.005],
    [{ qty: 1.5 }, 2],
    [{ qty: 1.5, type: 'service' }, 1.5],
    [{ qty: 99_999_999.9999 }, 99_999_999],
  ])('rounds the quantity of %j by its unit to %d', (sent, qty) => {
    expect(read({ name: 'Chair', ...sent })).toMatchObject({ qty });
  });

  it('ignores unknown and response-only fields, even a thousand of them or __proto__', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]));
    const responseOnly = { id: 'x', category_name: 1, create_date: false, revision: 9, __proto: null };
    const body = JSON.parse(
      `{"__proto__":{"value":9,"unit":"kg"},${JSON.stringify({ ...unknown, ...responseOnly }).slice(1)}`,
    );
    expect(read({ ...body, name: 'Chair' })).toEqual(chair);
    expect(read(JSON.parse('{"name":"Chair","__proto__":{"value":9}}'))).toEqual(chair);
  });
});

const unregistered = `is not a registered unit of this account: ${[...initialUnits.keys()].join(', ')}`;

describe('rejecting a create', () => {
  it('without a name has the message of spec 7.2', () => {
    expect(refusalOf(() => read({}))).toEqual({
      code: 'VALIDATION_FAILED',
      message: 'Invalid field: name.',
      fields: [{ field: 'name', reason: 'is required', rule: 'required' }],
    });
    expect(refusalOf(() => read({ value: -1 }))?.fields?.map(({ field }) => field)).toEqual(['name', 'value']);
  });

  it('lists all invalid fields in the order of spec table 2.1, and names the first', () => {
    const bad = Object.fromEntries([...fieldNames].reverse().map((field) => [field, []]));
    const refusal = refusalOf(() => read(bad));
    expect(refusal?.message).toBe('Invalid field: name.');
    expect(refusal?.fields?.map(({ field }) => field)).toEqual(fieldNames);
  });

  it.each([
    ['category', 3, 'is not a category of this account, or is archived', { rule: 'unknown_reference' }],
    ['category', 4, 'is not a category of this account, or is archived', { rule: 'unknown_reference' }],
    ['unit', 'box2', unregistered, { rule: 'unknown_reference' }],
    ['unit', 'toString', unregistered, { rule: 'unknown_reference' }],
  ] as const)('gives the reason for an unknown reference: %s %j %s', (field, sent, reason, broken) => {
    expect(refusalOf(() => read({ name: 'Chair', [field]: sent }))?.fields).toEqual([{ field, reason, ...broken }]);
  });
});

describe('any body of a create', () => {
  it('is parsed completely or rejected with its fields, and nothing else is thrown', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        try {
          expect(Object.keys(read(body))).toEqual(fieldNames);
        } catch (error) {
          if (!(error instanceof CatalogError)) throw error;
          expect(error.code).toBe('VALIDATION_FAILED');
          expect(error.message).toBe(`Invalid field: ${error.fields?.[0]?.field}.`);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted if it is valid, and parsing its stored form again changes nothing', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        const fields = read({ name: 'Chair', ...body });
        expect(read({ ...fields })).toEqual(fields);
      }),
    );
  });
});
