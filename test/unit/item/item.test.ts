import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CatalogError } from '../../../lib/item/errors.ts';
import { applyChange, type ItemChange, missingItem, roundQty } from '../../../lib/item/item.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { expectedQty } from '../../../lib/store/catalog/plannedWrite.ts';
import { acceptedBody } from '../../support/items/arbitraries.ts';
import { change } from '../../support/items/itemChange.ts';
import { readUpdate } from '../../support/items/readBody.ts';
import { refusalOf } from '../../support/items/refusalOf.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';

const apply = ({ fields = {}, ...rest }: Partial<ItemChange>, item = sampleItem) =>
  applyChange(item, change(fields, rest), sampleAccount);
const keys = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));

describe('the expected quantity', () => {
  const account = { ...sampleAccount, units: new Map(Object.entries({ un: 0, hour: 2, day: 2, kg: 3 })) };

  it.each([
    [3, 3, undefined],
    [0, 0, undefined],
    [-0, 0, undefined],
    [99_999_999, 99_999_999, undefined],
    [1.5, 1.5, ['hour', 'day', 'kg']],
    [1.005, 1.01, ['hour', 'day']],
    [1.0001, 1, ['un', 'hour', 'day', 'kg']],
  ])('of %d is %d in most units, namely %j', (sent, qty, units) => {
    expect(expectedQty(sent, account)).toStrictEqual({ qty, units });
  });

  it('is the rounded quantity in exactly the units that it names', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 99_999_999.9999, noNaN: true }), (sent) => {
        const likely = expectedQty(sent, sampleAccount);
        const agreeing = [...sampleAccount.units].filter(([, decimals]) => roundQty(sent, decimals) === likely.qty);
        expect(agreeing.map(([unit]) => unit)).toStrictEqual(likely.units ?? [...sampleAccount.units.keys()]);
      }),
    );
  });
});

describe('an archived category', () => {
  const category = {
    field: 'category',
    reason: 'is not a category of this account, or is archived',
    rule: 'unknown_reference',
  };
  const archived = { ...sampleItem, category: 4 };

  it('is accepted for the item that has it, so that a form can send it back', () => {
    expect(apply({ fields: { category: 4, value: 2 } }, archived)).toMatchObject({ category: 4, value: 2 });
    expect(apply({ fields: { value: 2 } }, archived)).toMatchObject({ category: 4, value: 2 });
    expect(apply({ fields: { category: 1 } }, archived)).toMatchObject({ category: 1 });
  });

  it.each([1, 2, null])('cannot be chosen for an item in %j', (current) => {
    const refusal = refusalOf(() => apply({ fields: { category: 4 } }, { ...sampleItem, category: current }));
    expect(refusal).toEqual({ code: 'VALIDATION_FAILED', message: 'Invalid field: category.', fields: [category] });
  });

  it('is reported together with too many metadata keys', () => {
    const change = { fields: { category: 4 }, metadata: { set: keys(101, 'k'), remove: [] } };
    const refusal = refusalOf(() => apply(change));
    expect(refusal?.fields?.map(({ field }) => field)).toEqual(['category', 'metadata']);
  });

  it('is rejected for a missing item, which cannot have it', () => {
    const refusal = missingItem(change({ category: 4 }), sampleAccount);
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', fields: [category] });
    for (const fields of [{}, { category: 1 }, { category: null }])
      expect(missingItem(change(fields), sampleAccount)).toMatchObject({ code: 'ITEM_NOT_FOUND' });
  });
});

describe('changing an item', () => {
  it('rounds a quantity that was sent without a unit by the stored unit', () => {
    expect(apply({ unroundedQty: 1.23456 })).toStrictEqual({ ...sampleItem, qty: 1.235, revision: 4 });
    expect(apply({ unroundedQty: 0 })).toStrictEqual({ ...sampleItem, qty: 0, revision: 4 });
  });

  it('accepts 100 metadata keys and rejects one more', () => {
    const item = { ...sampleItem, metadata: keys(60, 'a') };
    const full = { ...keys(60, 'a'), ...keys(40, 'b') };
    expect(apply({ metadata: { set: keys(40, 'b'), remove: [] } }, item).metadata).toStrictEqual(full);
    expect(apply({ metadata: { set: keys(41, 'b'), remove: ['a0'] } }, item).metadata).not.toHaveProperty('a0');
    expect(() => apply({ metadata: { set: keys(41, 'b'), remove: [] } }, item)).toThrow(
      new CatalogError('VALIDATION_FAILED', {
        message: 'Invalid field: metadata.',
        fields: [
          {
            field: 'metadata',
            reason: 'must leave the item with at most 100 keys and within 400 KB',
            rule: 'max_items',
            limit: 100,
          },
        ],
      }),
    );
  });

  it('fails as a defect if and only if a quantity needs a unit that the account does not have', () => {
    const item = { ...sampleItem, unit: 'gone' };
    expect(() => apply({ unroundedQty: 1.5 }, item)).toThrow(/^Account .* does not have the unit gone$/);
    expect(apply({ fields: { name: 'Table' } }, item)).toMatchObject({ name: 'Table', unit: 'gone' });
  });
});

describe('any accepted update', () => {
  const law = (holds: (body: JsonObject, next: ReturnType<typeof apply>) => void) =>
    fc.assert(
      fc.property(acceptedBody, (body) => {
        holds(body, apply(readUpdate(body, sampleAccount)));
      }),
    );

  it('changes the fields it names and no others, and the revision (spec 4.2 rules 1 to 3)', () => {
    law((body, next) => {
      expect(next).toMatchObject(readUpdate(body, sampleAccount).fields);
      const kept = Object.entries(sampleItem).filter(([name]) => !Object.hasOwn(body, name) && name !== 'revision');
      expect(next).toMatchObject(Object.fromEntries(kept));
      expect(next.revision).toBe(sampleItem.revision + 1);
      expect(Object.keys(next)).toStrictEqual(Object.keys(sampleItem));
    });
  });

  it('is idempotent, apart from the revision', () => {
    law((body, next) => {
      expect(apply(readUpdate(body, sampleAccount), next)).toStrictEqual({ ...next, revision: next.revision + 1 });
    });
  });
});
