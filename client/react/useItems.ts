import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import { ItemList, type ItemListState, type ItemsQuery } from '../items/itemList.ts';
import { useStore } from './useStore.ts';

type Acts = Pick<ItemList, 'loadMore' | 'findAll' | 'upsert' | 'refresh'>;

/**
 * The list of items that a user searches: the state and the acts of an `ItemList`. The acts are the same in each render.
 * @example const { items, hasMore, loadMore, upsert } = useItems(client, { text: 'oak desk' });
 */
export function useItems(client: Client, { text, filter, pageSize }: ItemsQuery): Acts & ItemListState {
  const list = useStore(() => new ItemList(client), client);
  const filterText = JSON.stringify(filter ?? {});
  useEffect(() => list.start(), [list]);
  useEffect(
    () => list.setQuery({ text, filter: JSON.parse(filterText), pageSize }),
    [list, text, filterText, pageSize],
  );
  const { loadMore, findAll, upsert, refresh } = list;
  return { loadMore, findAll, upsert, refresh, ...list.getState() };
}
