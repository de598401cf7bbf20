import type { CatalogStore } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { IdLease } from './idLease.ts';
import { findCreated, insertItem } from './insertItem.ts';
import { modifyItem } from './modifyItem.ts';

/** The catalog in a DynamoDB table. What it keeps in memory (configurations, leased ids) belongs to the container. */
export function dynamoCatalogStore(database: Database): CatalogStore {
  const accounts = new AccountCache();
  const ids = new IdLease();
  return {
    account: (context) => accounts.get(database.for(context)),
    currentAccount: (context) => accounts.current(database.for(context)),
    prepareInsert: (context) => ids.prepare(database.for(context)),
    insertItem: (context, fields, key) => insertItem(database.for(context), ids, fields, key),
    findCreated: (context, key) => findCreated(database.for(context), key),
    modifyItem: (context, modification) => modifyItem(database.for(context), accounts, modification),
  };
}
