import { identifierNames } from '../../lib/item/fields.ts';
import { type Client, type Item, RequestError } from '../http/catalogClient.ts';
import type { RequestOptions } from '../http/requestOptions.ts';
import { type ListQuery, listItems, loadPage } from './readItems.ts';

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

/** A sample of ids, which are given in their order: every so many from each of these on, denser about the limit. */
const sampled = { 0: 250, 5000: 10, 5200: 40, 6000: 200, 10000: 1_000 };
const perStep = 20;

/** About how many active items there are, by one request. */
export async function estimateItems(client: Client, options: RequestOptions): Promise<number> {
  const steps = new Map<number, number>();
  // Ids are leased by tens, of which the last are used less often.
  for (const [start, step] of Object.entries(sampled))
    for (let index = 0; index < perStep; index += 1) steps.set(+start + step * index + 1 + ((7 * index) % 10), step);
  const { data } = await loadPage(client, { ids: [...steps.keys()] }, options);
  return data.reduce((sum, { id, active }) => sum + (active ? (steps.get(id) ?? 0) : 0), 0);
}
