import type { CatalogStore } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { IdLease } from './idLease.ts';
import { findCreated, insertItem } from './insertItem.ts';
import { modifyItem } from './modifyItem.ts';

/** The catalog in a DynamoDB table. What it keeps in memory (configurations, leased ids) is a container's. */
export function dynamoCatalogStore(database: Database): CatalogStore {
  const accounts = new AccountCache(database);
  const ids = new IdLease(database);
  return {
    account: (call) => accounts.get(call),
    currentAccount: (call) => accounts.current(call),
    insertItem: (call, fields, key) => insertItem(database, ids, call, fields, key),
    findCreated: (call, key) => findCreated(database, call, key),
    modifyItem: (call, id, change, revisions) => modifyItem(database, accounts, { call, id, change, revisions }),
  };
}
