import { CatalogError } from '../item/errors.ts';
import { awaitAll } from './awaitAll.ts';
import type { CatalogReader } from './catalogStore.ts';
import { loadCategoryName, type NamedItem } from './loadAccount.ts';

/** Reads the current item. @throws CatalogError `ITEM_NOT_FOUND`, or `FORBIDDEN` if there is no such account */
export async function getItem(store: CatalogReader, id: number): Promise<NamedItem> {
  const [account, item] = await awaitAll([store.account(), store.findItem(id)]);
  if (item === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  return { item, categoryName: await loadCategoryName(store, account, item) };
}
