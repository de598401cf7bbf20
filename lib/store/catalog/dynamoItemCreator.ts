import type { OpenStore } from '../../catalog/catalogReader.ts';
import type { ItemCreator } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { IdLease } from './idLease.ts';
import { findCreated, insertItem } from './insertItem.ts';

/** Creates items in a DynamoDB table. Configurations and leased ids stay in memory as long as the container lives. */
export function dynamoItemCreator(database: Database, accounts = new AccountCache()): OpenStore<ItemCreator> {
  const ids = new IdLease();
  return (context) => {
    const session = database.for(context);
    return {
      account: () => accounts.get(session),
      currentAccount: () => accounts.current(session),
      prepareInsert: (count) => ids.prepare(session, count),
      insertItem: (fields, key) => insertItem(session, ids, fields, key),
      findCreated: (key) => findCreated(session, key),
    };
  };
}
