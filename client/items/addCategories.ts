import type { Catalog, Client } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import type { UnknownCategory } from '../sheet/categories.ts';
import { createCategory } from './configureCatalog.ts';

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
