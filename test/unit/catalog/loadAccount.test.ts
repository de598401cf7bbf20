import { describe, expect, it } from 'vitest';
import { loadAccount, loadCategoryName, loadCategoryNames } from '../../../lib/catalog/loadAccount.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import { parseBody, unknownReferences } from '../../../lib/item/readBody.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';

const newer = {
  ...sampleAccount,
  categories: new Map([...sampleAccount.categories, [9, { name: 'New', archived: false }]]),
};

/** A store that has cached the sample account, and counts how often the current one is read. */
function storeOf(currentAccount = async () => newer) {
  const reads = { current: 0 };
  const current = () => {
    reads.current += 1;
    return currentAccount();
  };
  const store = { account: async () => sampleAccount, currentAccount: current, accountWith: current };
  return { store, reads };
}

describe('a category that is missing from the cached account', () => {
  const load = (store: ReturnType<typeof storeOf>['store'], category: number) =>
    loadAccount(store, parseBody({ category }), unknownReferences);

  it('is looked up again before it is called unknown, the only reason to read the account again', async () => {
    const { store, reads } = storeOf();
    expect(await load(store, 2)).toEqual({ account: sampleAccount, unknown: [] });
    expect(reads.current).toBe(0);
    expect(await load(store, 9)).toEqual({ account: newer, unknown: [] });
    expect(await load(store, 10)).toMatchObject({ unknown: [{ field: 'category', rule: 'unknown_reference' }] });
    expect(reads.current).toBe(2);
  });

  it('gets its name from the current account, which is read once for all items, and only if one needs it', async () => {
    const { store, reads } = storeOf();
    const items = [1, null, 9, 10].map((category) => ({ ...sampleItem, category }));
    await loadCategoryNames(store, sampleAccount, items.slice(0, 2));
    expect(reads.current).toBe(0);
    expect(items.map(await loadCategoryNames(store, sampleAccount, items))).toEqual(['General', null, 'New', null]);
    expect(reads.current).toBe(1);
    expect(await loadCategoryName(store, sampleAccount, { ...sampleItem, category: 9 })).toBe('New');
  });

  it('has no name if the current account cannot be read, because the items were read or written', async () => {
    const { store } = storeOf(() => Promise.reject(new CatalogError('SERVICE_UNAVAILABLE')));
    const items = [1, 9].map((category) => ({ ...sampleItem, category }));
    expect(items.map(await loadCategoryNames(store, sampleAccount, items))).toEqual(['General', null]);
  });
});
