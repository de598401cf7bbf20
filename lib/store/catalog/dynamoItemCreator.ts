import type { ItemCreator } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { IdLease } from './idLease.ts';
import { findCreated, insertItem } from './insertItem.ts';

/** Creates items in a DynamoDB table. Configurations and leased ids stay in memory as long as the container lives. */
export function dynamoItemCreator(database: Database, accounts = new AccountCache()): ItemCreator {
  const ids = new IdLease();
  return {
    account: (context) => accounts.get(database.for(context)),
    currentAccount: (context) => accounts.current(database.for(context)),
    prepareInsert: (context) => ids.prepare(database.for(context)),
    insertItem: (context, fields, key) => insertItem(database.for(context), ids, fields, key),
    findCreated: (context, key) => findCreated(database.for(context), key),
  };
}
