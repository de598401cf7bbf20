import type { Answer, Catalog, Client, Schemas } from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';

/**
 * Adds a category. To try again after a lost response, pass the same `shown`: if there is a category with this name that
 * it lacks, that is returned instead of adding another one.
 * @param shown the catalog that the user sees
 * @example const { data, error } = await createCategory(client, catalog, { name: 'Chairs' });
 */
export async function createCategory(
  client: Client,
  shown: Pick<Catalog, 'categories'>,
  body: Schemas['NewCategory'],
  options: RequestOptions = {},
): Promise<Answer<Schemas['CategoryResponse']>> {
  const catalog = await client.GET('/api/v1/api/v1/catalog', requestOptions(options));
  if (catalog.error !== undefined) return catalog;
  const isShown = (id: number) => shown.categories.some((category) => category.id === id);
  const added = catalog.data.data.categories.find(({ id, name }) => name === body.name && !isShown(id));
  if (added !== undefined) return { data: { data: added }, response: catalog.response };
  return client.POST('/api/v1/api/v1/catalog/categories', { body, ...requestOptions(options) });
}

/**
 * Renames, archives or unarchives a category. It can be sent again after a lost response.
 * @example await updateCategory(client, 3, { archived: true });
 */
export const updateCategory = (
  client: Client,
  id: number,
  body: Schemas['CategoryChanges'],
  options: RequestOptions = {},
): Promise<Answer<Schemas['CategoryResponse']>> =>
  client.PUT('/api/v1/api/v1/catalog/categories/{id}', { params: { path: { id } }, body, ...requestOptions(options) });

/**
 * Registers a unit for good. After a lost response, 409 can mean that it is there now, perhaps with other decimals.
 * @example await createUnit(client, { unit: 'pair', decimals: 0 });
 */
export const createUnit = (
  client: Client,
  body: Schemas['Unit'],
  options: RequestOptions = {},
): Promise<Answer<Schemas['UnitResponse']>> =>
  client.POST('/api/v1/api/v1/catalog/units', { body, ...requestOptions(options) });

/**
 * Sets the default category or tax of new items. It can be sent again after a lost response.
 * @example await updateDefaults(client, { category: 3 });
 */
export const updateDefaults = (
  client: Client,
  body: Schemas['DefaultsChanges'],
  options: RequestOptions = {},
): Promise<Answer<Schemas['DefaultsResponse']>> =>
  client.PUT('/api/v1/api/v1/catalog/defaults', { body, ...requestOptions(options) });
