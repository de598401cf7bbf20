import type { Catalog, Client, RequestOptions, Schemas } from '../http/catalogClient.ts';
import { requestOptions, unwrap } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import type { UnknownCategory } from '../sheet/categories.ts';

export interface CategoryOptions extends RequestOptions {
  /** The catalog that the user sees. */
  readonly catalog: Pick<Catalog, 'categories'>;
}

/**
 * Adds a category. To try again after a lost response, pass the same `catalog`: if there is a category with this name that
 * it lacks, that is returned instead of adding another one.
 * @example const { id } = await createCategory(client, { name: 'Chairs' }, { catalog });
 */
export async function createCategory(
  client: Client,
  body: Schemas['NewCategory'],
  { catalog, ...options }: CategoryOptions,
): Promise<Schemas['Category']> {
  const isShown = (id: number) => catalog.categories.some((category) => category.id === id);
  return inTurn(async () => {
    const { data } = unwrap(await client.GET('/api/v1/api/v1/catalog', requestOptions(options)));
    const added = data.categories.find(({ id, name }) => name === body.name && !isShown(id));
    if (added !== undefined) return added;
    return unwrap(await client.POST('/api/v1/api/v1/catalog/categories', { body, ...requestOptions(options) })).data;
  });
}

/** Acts after other tabs of the page, which may be adding the same. Pages that were loaded over http have no locks. */
function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  const { navigator } = globalThis as {
    navigator?: { locks?: { request(name: string, act: () => Promise<Result>): Promise<Result> } };
  };
  return navigator?.locks?.request('catalog.categories', act) ?? act();
}

/**
 * Adds the categories that a sheet has and the account lacks, one by one. After a lost answer it looks whether a category
 * is there before it adds it again. Archived ones are left: they would be there twice.
 * @param shown the catalog without them
 * @returns those that were added until the signal was aborted
 * @throws RequestError if the user may not configure the catalog, or a name is refused
 * @example const added = await addCategories(client, catalog, sheet.unknownCategories);
 */
export async function addCategories(
  client: Client,
  shown: Pick<Catalog, 'categories'>,
  unknown: readonly UnknownCategory[],
  options: PollOptions = {},
): Promise<Catalog['categories']> {
  const names = unknown.filter(({ isArchived }) => !isArchived).map(({ name }) => name.normalize('NFC'));
  const added: Catalog['categories'][number][] = [];
  for (const name of names) {
    const create = () => createCategory(client, { name }, { ...options, catalog: shown });
    const category = await retryUntilDone(create, options);
    if (category !== undefined) added.push(category);
  }
  return added;
}

/**
 * Renames, archives or unarchives a category. It can be sent again after a lost response.
 * @example await updateCategory(client, { id: 3, archived: true });
 */
export async function updateCategory(
  client: Client,
  { id, ...body }: Schemas['CategoryChanges'] & { readonly id: number },
  options: RequestOptions = {},
): Promise<Schemas['Category']> {
  const sent = { params: { path: { id } }, body, ...requestOptions(options) };
  return unwrap(await client.PUT('/api/v1/api/v1/catalog/categories/{id}', sent)).data;
}

/**
 * Registers a unit for good. After a lost response, 409 can mean that it is there now, perhaps with other decimals.
 * @example await createUnit(client, { unit: 'pair', decimals: 0 });
 */
export const createUnit = async (
  client: Client,
  body: Schemas['Unit'],
  options: RequestOptions = {},
): Promise<Schemas['Unit']> =>
  unwrap(await client.POST('/api/v1/api/v1/catalog/units', { body, ...requestOptions(options) })).data;

/**
 * Sets the default category or tax of new items. It can be sent again after a lost response.
 * @example await updateDefaults(client, { category: 3 });
 */
export const updateDefaults = async (
  client: Client,
  body: Schemas['DefaultsChanges'],
  options: RequestOptions = {},
): Promise<Schemas['DefaultsResponse']['data']> =>
  unwrap(await client.PUT('/api/v1/api/v1/catalog/defaults', { body, ...requestOptions(options) })).data;
