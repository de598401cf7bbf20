import type { Catalog } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { Accounts } from './accountCache.ts';
import { Ids } from './idLease.ts';
import { createItem, findCreated } from './insertItem.ts';
import { updateItem } from './modifyItem.ts';

/** The catalog in a DynamoDB table. What it keeps in memory (configurations, leased ids) is a container's. */
export function dynamoCatalog(database: Database): Catalog {
  const accounts = new Accounts(database);
  const ids = new Ids(database);
  return {
    account: (call) => accounts.get(call),
    currentAccount: (call) => accounts.current(call),
    create: (call, fields, key) => createItem(database, ids, call, fields, key),
    findCreated: (call, key) => findCreated(database, call, key),
    update: (call, id, change, revisions) => updateItem(database, accounts, { call, id, change, revisions }),
  };
}
