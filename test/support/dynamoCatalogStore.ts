import type { OpenStore } from '../../lib/catalog/catalogReader.ts';
import type { ItemCreator, ItemUpdater } from '../../lib/catalog/catalogStore.ts';
import { AccountCache } from '../../lib/store/catalog/accountCache.ts';
import { dynamoItemCreator } from '../../lib/store/catalog/dynamoItemCreator.ts';
import { dynamoItemUpdater } from '../../lib/store/catalog/dynamoItemUpdater.ts';
import type { Database } from '../../lib/store/database/database.ts';

/** Creates and updates items. */
export interface CatalogStore extends ItemCreator, ItemUpdater {}

/** A container that both creates and updates items, with one cache of accounts. */
export function dynamoCatalogStore(database: Database): OpenStore<CatalogStore> {
  const accounts = new AccountCache();
  const creator = dynamoItemCreator(database, accounts);
  const updater = dynamoItemUpdater(database, accounts);
  return (context) => ({ ...creator(context), ...updater(context) });
}
