import { filterFields } from '../item/fields.ts';
import type { Item } from '../item/item.ts';
import { beginsWith } from '../item/listedName.ts';
import { awaitAll } from './awaitAll.ts';
import type { CatalogReader, Identifier, ItemFilter, ListPage, ListQuery } from './catalogStore.ts';
import { loadCategoryNames, type NamedItem } from './loadAccount.ts';

export interface ItemQuery extends ListQuery {
  /** Returns only the item with this identifier, on a single page. */
  readonly identifier: Identifier | undefined;
  /** Returns only the items with these ids, in this order, on a single page. */
  readonly ids: readonly number[] | undefined;
}

export interface ItemPage extends Pick<ListPage, 'next'> {
  readonly items: readonly (NamedItem & ListPage['items'][number])[];
}

/** By name. A page may be short without being the last. @throws CatalogError `FORBIDDEN` without such an account */
export async function listItems(store: CatalogReader, query: ItemQuery): Promise<ItemPage> {
  const [account, { items, next }] = await awaitAll([store.account(), readPage(store, query)]);
  // The list may lag behind the items, so apply the filter again to the current items.
  const listed = items.filter(({ item }) => matches(item, query));
  const categoryNameOf = await loadCategoryNames(
    store,
    account,
    listed.map(({ item }) => item),
  );
  return { items: listed.map(({ item, position }) => ({ item, position, categoryName: categoryNameOf(item) })), next };
}

async function readPage(store: CatalogReader, query: ItemQuery): Promise<ListPage> {
  const { identifier, ids } = query;
  if (ids !== undefined) {
    const found = await store.findItems(ids);
    return pageOf(ids.map((id) => found.get(id)));
  }
  return identifier === undefined ? store.listPage(query) : pageOf([await store.findByIdentifier(identifier)]);
}

const pageOf = (found: readonly (Item | undefined)[]): ListPage => ({
  items: found.flatMap((item) => (item === undefined ? [] : [{ item, position: item }])),
  next: undefined,
});

const matches = (item: Item, filter: ItemFilter): boolean =>
  filterFields.every((name) => filter[name] === undefined || item[name] === filter[name]) &&
  beginsWith(item.name, filter.search);
