import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errors } from '../../../lib/item/errors.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { acceptedBody } from '../../support/items/arbitraries.ts';
import { readUpdate } from '../../support/items/readBody.ts';
import { refusalOf } from '../../support/items/refusalOf.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';

const read = (body: JsonObject) => readUpdate(body, sampleAccount);
const none = { set: {}, remove: [] };
const nothingToUpdate = {
  code: 'NOTHING_TO_UPDATE',
  message: errors.NOTHING_TO_UPDATE.message,
  fields: undefined,
};

describe('parsing an update', () => {
  it.each([
    ['{}'],
    ['{"id":1,"category_name":"x","create_date":"y"}'],
    ['{"Name":"x","colour":1,"revision":4}'],
    ['{"__proto__":{"name":"x"}}'],
    ['{"constructor":1,"toString":2}'],
  ])('rejects %s, which has no supported field (spec 4.2 rule 7)', (body) => {
    expect(refusalOf(() => read(JSON.parse(body)))).toStrictEqual(nothingToUpdate);
  });

  it('changes only what was sent, without defaults (spec 4.2 rules 1 and 6)', () => {
    expect(read({ name: 'Table' })).toStrictEqual({ fields: { name: 'Table' }, metadata: none });
    expect(read({ type: 'service' })).toStrictEqual({ fields: { type: 'service' }, metadata: none });
    expect(read({ name: 'Table', id: 5, colour: 'red' })).toStrictEqual({ fields: { name: 'Table' }, metadata: none });
  });

  it('applies zero and false (spec 4.2 rule 2)', () => {
    expect(read({ value: 0, cost: 0, tax: 0, active: false })).toStrictEqual({
      fields: { value: 0, cost: 0, tax: 0, active: false },
      metadata: none,
    });
    expect(read({ active: 0 })).toStrictEqual({ fields: { active: false }, metadata: none });
    expect(read({ qty: 0 })).toStrictEqual({ fields: {}, unroundedQty: 0, metadata: none });
  });

  it('removes fields with null, and identifiers also with an empty string (spec 4.2 rule 3)', () => {
    const removed = { category: null, description: null, sku: null, pn: null, tag: null };
    expect(read(removed)).toStrictEqual({ fields: removed, metadata: none });
    expect(read({ sku: '', pn: '  ' })).toStrictEqual({ fields: { sku: null, pn: null }, metadata: none });
    expect(read({ description: '', tag: '' })).toStrictEqual({ fields: { description: '', tag: '' }, metadata: none });
  });

  it('rounds a quantity by the unit sent with it, and does not round it without one', () => {
    expect(read({ qty: 1.005, unit: 'hour' })).toStrictEqual({ fields: { qty: 1.01, unit: 'hour' }, metadata: none });
    expect(read({ qty: 1.005 })).toStrictEqual({ fields: {}, unroundedQty: 1.005, metadata: none });
    expect(read({ unit: 'hour' })).toStrictEqual({ fields: { unit: 'hour' }, metadata: none });
  });
});

describe('any body of an update', () => {
  it('changes exactly the fields that it sends, if it is valid', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        const { fields, unroundedQty } = read(body);
        const named = [...Object.keys(fields), ...(unroundedQty === undefined ? [] : ['qty'])];
        expect(named.sort()).toStrictEqual(
          Object.keys(body)
            .filter((name) => name !== 'metadata')
            .sort(),
        );
      }),
    );
  });
});
