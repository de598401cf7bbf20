import { describe, expect, it } from 'vitest';
import { ConditionFailed } from '../../../../lib/store/database/failures.ts';
import { identifiersNotIn, noIdentifiers, takenIdentifiers } from '../../../../lib/store/records/guardRecord.ts';

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

it('an identifier that is taken is an error if its guard cannot be read', () => {
  const damaged = { code: 'ConditionalCheckFailed', record: { item_id: 'x' } };
  const refusal = new ConditionFailed(['put sku guard'], [damaged], false);
  expect(() => takenIdentifiers(refusal, [{ name: 'sku', text: 'A' }])).toThrow();
});
