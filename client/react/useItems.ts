import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import { ItemList, type ItemListState, type ItemsWanted } from '../items/itemList.ts';
import { type Functions, useStore } from './useStore.ts';

/**
 * The list of items that a user searches: the state and the functions of an `ItemList`. The functions are always the same.
 * @example const { items, isMore, showMore, put } = useItems(client, { text: 'oak desk' });
 */
export function useItems(client: Client, { text, query, pageSize }: ItemsWanted): Functions<ItemList> & ItemListState {
  const list = useStore(() => new ItemList());
  const filter = JSON.stringify(query);
  useEffect(() => list.start(client), [list, client]);
  useEffect(
    () => list.show({ text, query: filter === undefined ? undefined : JSON.parse(filter), pageSize }),
    [list, text, filter, pageSize],
  );
  return { ...list, ...list.getState() };
}
