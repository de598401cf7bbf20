import { limits } from '../../lib/item/limits.ts';
import { parts } from '../../lib/item/lists.ts';
import type { paths } from '../catalogApi.ts';
import type { Client, Item, RequestOptions, Schemas } from '../http/catalogClient.ts';
import { requestOptions, unwrap } from '../http/catalogClient.ts';

/** What lists are filtered and sorted by, and where they go on. */
export type ListQuery = NonNullable<paths['/api/v1/api/v1/items']['get']['parameters']['query']>;

/**
 * A page of items, in the order of their names. It may be short; only a null `next_cursor` ends the list. After a
 * failure, it can be loaded again.
 * @param query the parameters of the contract, such as `{ include_inactive: true }`, with the `cursor` of the page
 * @example const { data, next_cursor } = await loadPage(client, { limit: 20 });
 */
export async function loadPage(
  client: Client,
  query: ListQuery = {},
  options: RequestOptions = {},
): Promise<Schemas['ItemList']> {
  return unwrap(await client.GET('/api/v1/api/v1/items', { params: { query }, ...requestOptions(options) }));
}

/**
 * Items in the order of their names, across all pages.
 * @example for await (const { name } of listItems(client, { type: 'service' })) console.log(name);
 */
export async function* listItems(
  client: Client,
  query: ListQuery = {},
  options: RequestOptions = {},
): AsyncGenerator<Item, void> {
  for (let page = query; ; ) {
    const { data, next_cursor } = await loadPage(client, page, options);
    yield* data;
    if (next_cursor === null) return;
    page = { ...query, cursor: next_cursor };
  }
}

/**
 * The current items with these ids, for the lines of a proposal. Missing ones are left out.
 * @example const items = await loadItems(client, [7, 17, 34]);
 */
export async function loadItems(client: Client, ids: readonly number[], options: RequestOptions = {}): Promise<Item[]> {
  const items: Item[] = [];
  for (const some of parts(ids, limits.page.max))
    for await (const item of listItems(client, { ids: [...some] }, options)) items.push(item);
  return items;
}

/**
 * The current item; null if it does not exist.
 * @example const item = await loadItem(client, 7);
 * @throws RequestError if there is no such service at the address, among other refusals
 */
export async function loadItem(client: Client, id: number, options: RequestOptions = {}): Promise<Item | null> {
  const params = { path: { id } };
  const answer = await client.GET('/api/v1/api/v1/items/{id}', { params, ...requestOptions(options) });
  return answer.error?.error.code === 'ITEM_NOT_FOUND' ? null : unwrap(answer).data;
}

/**
 * The header `If-Match` of requests of your own, which are refused if somebody has written since.
 * @example const header = { 'If-Match': ifMatch(item) };
 */
export const ifMatch = ({ revision }: Item): string => `"${revision}"`;
