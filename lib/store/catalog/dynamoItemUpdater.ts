import type { ItemUpdater } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { modifyItem } from './modifyItem.ts';

/** Updates items in a DynamoDB table. Configurations stay in memory as long as the container lives. */
export const dynamoItemUpdater = (database: Database, accounts = new AccountCache()): ItemUpdater => ({
  account: (context) => accounts.get(database.for(context)),
  currentAccount: (context) => accounts.current(database.for(context)),
  modifyItem: (context, modification) => modifyItem(database.for(context), accounts, modification),
});
