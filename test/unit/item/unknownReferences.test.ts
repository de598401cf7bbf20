import { describe, expect, it } from 'vitest';
import { parseBody, unavailableReferences, unknownReferences } from '../../../lib/item/readBody.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';

const category = { field: 'category', reason: 'is not a category of this account, or is archived' };
const unit = { field: 'unit', reason: 'is not a registered unit of this account' };

describe('what a body refers to that the account does not have', () => {
  it.each([
    [{ category: 3 }, [category]],
    [{ unit: 'nope' }, [unit]],
    [{ unit: '' }, [unit]],
    [{ unit: '__proto__' }, []],
    [{ unit: 'nope', category: 3 }, [category, unit]],
  ])('is told of %j', (body, unknown) => {
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
  ])('is nothing of %j, as malformed references are refused whatever the account has', (body) => {
    expect(unknownReferences(parseBody(body), sampleAccount)).toStrictEqual([]);
  });
});

describe('what a create refers to that it cannot have', () => {
  it.each([
    [{ category: 1, unit: 'kg' }, []],
    [{ category: 3 }, [category]],
    [{ category: 4 }, [category]],
    [{ category: 4, unit: 'nope' }, [category, unit]],
  ])('is an archived category too, of %j', (body, unavailable) => {
    expect(unavailableReferences(parseBody(body), sampleAccount)).toStrictEqual(unavailable);
  });
});
