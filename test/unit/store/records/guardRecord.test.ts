import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../lib/catalog/requestContext.ts';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { deleteGuard, identifiersBeyond, noIdentifiers, putGuard } from '../../../../lib/store/records/guardRecord.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };

describe('the codes that one has and the other has not', () => {
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
  ])('of %j beside %j are %j', (codes, others, beyond) => {
    expect(identifiersBeyond(codes, others)).toEqual(beyond);
  });
});

describe('the guard of a code', () => {
  const own = {
    ConditionExpression: 'attribute_not_exists(#pk) OR #item = :item',
    ExpressionAttributeNames: { '#pk': 'pk', '#item': 'item_id' },
    ExpressionAttributeValues: { ':item': 7 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('is put for its item, unless it is another’s', () => {
    expect(putGuard('table-1', call, 7, { name: 'sku', text: 'A#B' })).toEqual({
      Put: {
        TableName: 'table-1',
        Item: { pk: 'ACCOUNT#acme#SKU#A#B', sk: 'GUARD', item_id: 7 },
        ...own,
      },
    });
  });

  it('is deleted with its item’s code, unless it is another’s', () => {
    expect(deleteGuard('table-1', call, 7, { name: 'pn', text: 'A' })).toEqual({
      Delete: { TableName: 'table-1', Key: { pk: 'ACCOUNT#acme#PN#A', sk: 'GUARD' }, ...own },
    });
  });
});
