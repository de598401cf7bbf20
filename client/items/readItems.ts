import { identifierNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { parts } from '../../lib/item/lists.ts';
import type { paths } from '../catalogApi.ts';
import type { Client, Item, RequestOptions, Schemas } from '../http/catalogClient.ts';
import { RequestError, requestOptions, unwrap } from '../http/catalogClient.ts';

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
 * What the service finds by a text: the items that have it as their SKU or part number, and then those whose names begin
 * with it.
 * @param query what else the items must be, such as `{ include_inactive: true }`
 * @example for await (const { name } of findItems(client, 'DX-4711')) console.log(name);
 */
export async function* findItems(
  client: Client,
  text: string,
  query: ListQuery = {},
  options: RequestOptions = {},
): AsyncGenerator<Item, void> {
  if (text.trim() === '') return yield* listItems(client, query, options);
  const names = listItems(client, { ...query, search: text }, options);
  const [first, ...identified] = await Promise.all([
    names.next(),
    ...identifierNames.map((name) => identifiedItems(client, { ...query, [name]: text }, options)),
  ]);
  const byIdentifier = new Map(identified.flat().map((item) => [item.id, item]));
  yield* byIdentifier.values();
  for (let name = first; name.done !== true; name = await names.next())
    if (!byIdentifier.has(name.value.id)) yield name.value;
}

async function identifiedItems(client: Client, query: ListQuery, options: RequestOptions): Promise<readonly Item[]> {
  try {
    return (await loadPage(client, query, options)).data;
  } catch (error) {
    // No identifier has this form.
    if (error instanceof RequestError && error.status === 422) return [];
    throw error;
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
