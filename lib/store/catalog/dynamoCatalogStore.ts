import type { CatalogStore } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { IdLease } from './idLease.ts';
import { findCreated, insertItem } from './insertItem.ts';
import { modifyItem } from './modifyItem.ts';

/** The catalog in a DynamoDB table. What it keeps in memory (configurations, leased ids) belongs to the container. */
export function dynamoCatalogStore(database: Database): CatalogStore {
  const accounts = new AccountCache(database);
  const ids = new IdLease(database);
  return {
    account: (context) => accounts.get(context),
    currentAccount: (context) => accounts.current(context),
    prepareInsert: (context) => ids.prepare(context),
    insertItem: (context, fields, key) => insertItem(database, ids, context, fields, key),
    findCreated: (context, key) => findCreated(database, context, key),
    modifyItem: (context, modification) => modifyItem(database, accounts, context, modification),
  };
}
