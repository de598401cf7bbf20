import { describe, expect, it } from 'vitest';
import { parseBody, unavailableReferences, unknownReferences } from '../../../lib/item/readBody.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';

const category = {
  field: 'category',
  reason: 'is not a category of this account, or is archived',
  rule: 'unknown_reference',
};
const unit = { field: 'unit', reason: 'is not a registered unit of this account', rule: 'unknown_reference' };

describe('the unknown references of a body', () => {
  it.each([
    [{ category: 3 }, [category]],
    [{ unit: 'nope' }, [unit]],
    [{ unit: '' }, [unit]],
    [{ unit: '__proto__' }, []],
    [{ unit: 'nope', category: 3 }, [category, unit]],
  ])('are reported for %j', (body, unknown) => {
    expect(unknownReferences(parseBody(body), sampleAccount)).toStrictEqual(unknown);
  });

  it.each([
    {},
    { category: 1, unit: 'kg' },
    { category: 4 },
    { category: null, unit: null },
    { category: 0, unit: '123456789' },
    { category: '3', unit: 3 },
    { category: 1.5, unit: ['nope'] },
    { category: [], unit: {} },
  ])('do not include the malformed ones in %j, which are rejected anyway', (body) => {
    expect(unknownReferences(parseBody(body), sampleAccount)).toStrictEqual([]);
  });
});

describe('the unavailable references of a create', () => {
  it.each([
    [{ category: 1, unit: 'kg' }, []],
    [{ category: 3 }, [category]],
    [{ category: 4 }, [category]],
    [{ category: 4, unit: 'nope' }, [category, unit]],
  ])('include an archived category, for %j', (body, unavailable) => {
    expect(unavailableReferences(parseBody(body), sampleAccount)).toStrictEqual(unavailable);
  });
});
