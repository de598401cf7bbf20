import type { OpenStore } from '../../catalog/catalogReader.ts';
import type { ItemUpdater } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { modifyItem } from './modifyItem.ts';

/** Updates items in a DynamoDB table. Configurations stay in memory as long as the container lives. */
export const dynamoItemUpdater =
  (database: Database, accounts = new AccountCache()): OpenStore<ItemUpdater> =>
  (context) => {
    const session = database.for(context);
    return {
      account: () => accounts.get(session),
      currentAccount: () => accounts.current(session),
      modifyItem: (modification) => modifyItem(session, accounts, modification),
    };
  };
