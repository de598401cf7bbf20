import { identifierNames } from '../../lib/item/fields.ts';
import { type Client, type Item, RequestError, type RequestOptions } from '../http/catalogClient.ts';
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

/**
 * Samples of ids, which are given in their order: each of 20 ids from the first one on stands for so many. They are denser
 * about the limit.
 */
const samples = [
  { first: 1, step: 250 },
  { first: 5_001, step: 10 },
  { first: 5_201, step: 40 },
  { first: 6_001, step: 200 },
  { first: 10_001, step: 1_000 },
];
const idsInSample = 20;

/** Ids are leased by tens, of which the last are used less often: all places are sampled equally often. */
const placeInLease = (index: number): number => (7 * index) % 10;

/** About how many active items there are, by one request. */
export async function estimateItems(client: Client, options: RequestOptions): Promise<number> {
  const steps = new Map<number, number>();
  for (const { first, step } of samples)
    for (let index = 0; index < idsInSample; index += 1) steps.set(first + step * index + placeInLease(index), step);
  const { data } = await loadPage(client, { ids: [...steps.keys()] }, options);
  return data.reduce((sum, { id, active }) => sum + (active ? (steps.get(id) ?? 0) : 0), 0);
}
