import { describe, expect, it } from 'vitest';
import { type RequestContext, timedContext } from '../../../../lib/catalog/requestContext.ts';
import { type CancellationReason, ConditionFailed } from '../../../../lib/store/database/failures.ts';
import {
  deleteGuard,
  identifiersNotIn,
  noIdentifiers,
  putGuard,
  takenIdentifiers,
} from '../../../../lib/store/records/guardRecord.ts';
import { resolved } from '../../../support/standIns/resolved.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };

describe('the identifiers that only one of two items has', () => {
  const sku = { name: 'sku', text: 'A' };
  const pn = { name: 'pn', text: 'B' };

  it.each([
    [{ sku: 'A', pn: 'B' }, noIdentifiers, [sku, pn]],
    [{ sku: 'A', pn: null }, noIdentifiers, [sku]],
    [noIdentifiers, { sku: 'A', pn: 'B' }, []],
    [{ sku: 'A', pn: 'B' }, { sku: 'A', pn: 'B' }, []],
    [{ sku: 'A', pn: 'B' }, { sku: 'A', pn: 'C' }, [pn]],
    [{ sku: 'A', pn: 'B' }, { sku: 'B', pn: 'A' }, [sku, pn]],
    [{ sku: 'A', pn: null }, { sku: 'a', pn: null }, [sku]],
  ])('for %j and %j are %j', (codes, others, beyond) => {
    expect(identifiersNotIn(codes, others)).toEqual(beyond);
  });
});

describe('the guard of an identifier', () => {
  const own = {
    ConditionExpression: 'attribute_not_exists(pk) OR item_id = 7',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('is put for its item, unless another item owns it', () => {
    const { Put } = putGuard(call, 7, { name: 'sku', text: 'A#B' });
    expect(resolved(Put)).toEqual({ Item: { pk: 'ACCOUNT#acme#SKU#A#B', sk: 'GUARD', item_id: 7 }, ...own });
  });

  it('is deleted with its item’s identifier, unless another item owns it', () => {
    const { Delete } = deleteGuard(call, 7, { name: 'pn', text: 'A' });
    expect(resolved(Delete)).toEqual({ Key: { pk: 'ACCOUNT#acme#PN#A', sk: 'GUARD' }, ...own });
  });
});

describe('the taken identifiers of a refused transaction', () => {
  const failed = (item: number) => ({ code: 'ConditionalCheckFailed', record: { item_id: item } });
  const passed = { code: 'None', record: undefined };
  const identifiers = [
    { name: 'sku', text: 'A' },
    { name: 'pn', text: 'B' },
  ] as const;
  const refusal = (...reasons: CancellationReason[]) =>
    new ConditionFailed(['item', 'put sku guard', 'put pn guard'], reasons, false);

  it.each([
    [refusal(passed, failed(17), passed), [{ field: 'sku', item: 17 }]],
    [refusal(passed, passed, failed(3)), [{ field: 'pn', item: 3 }]],
    [
      refusal(failed(1), failed(17), failed(3)),
      [
        { field: 'sku', item: 17 },
        { field: 'pn', item: 3 },
      ],
    ],
    [refusal(failed(1), passed, passed), []],
  ])('are reported with the items that have them', (refused, taken) => {
    expect(takenIdentifiers(refused, identifiers)).toEqual(taken);
  });

  it('are an error if a guard cannot be read', () => {
    const damaged = { code: 'ConditionalCheckFailed', record: { item_id: 'x' } };
    expect(() => takenIdentifiers(refusal(passed, damaged, passed), identifiers)).toThrow();
  });
});
