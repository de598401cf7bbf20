import { parts } from '../lib/item/lists.ts';
import type { paths } from './catalogApi.ts';
import { type Client, dataOf, type Item } from './catalogClient.ts';

type ListQuery = NonNullable<paths['/api/v1/api/v1/items']['get']['parameters']['query']>;

/** An item in a form, with the `ETag` of the revision that was loaded. */
export interface LoadedItem {
  readonly item: Item;
  readonly etag: string;
}

/**
 * Items in the order of their names, page by page. A page may be short; only a null cursor ends the list.
 * @param query the parameters of the contract, such as `{ include_inactive: true }`
 */
export async function* listItems(client: Client, query: ListQuery = {}): AsyncGenerator<Item, void> {
  let next: string | null | undefined = query.cursor;
  do {
    const page: ListQuery = next === undefined ? query : { ...query, cursor: next };
    const { data, next_cursor } = dataOf(await client.GET('/api/v1/api/v1/items', { params: { query: page } }));
    yield* data;
    next = next_cursor;
  } while (next !== null);
}

/** All items whose name starts with a text. */
export const searchItems = (client: Client, search: string, limit = 50): AsyncGenerator<Item, void> =>
  listItems(client, { search, limit });

/** The current items with these ids, for the lines of a proposal. Missing ones are left out. */
export async function loadItems(client: Client, ids: readonly number[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const some of parts(ids, 100)) for await (const item of listItems(client, { ids: [...some] })) items.push(item);
  return items;
}

/** The current item, for a form; undefined if it does not exist. */
export async function loadItem(client: Client, id: number): Promise<LoadedItem | undefined> {
  const answer = await client.GET('/api/v1/api/v1/items/{id}', { params: { path: { id } } });
  if (answer.response.status === 404) return undefined;
  return { item: dataOf(answer).data, etag: answer.response.headers.get('etag') ?? '*' };
}
