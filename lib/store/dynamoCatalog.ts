import type { Catalog } from '../item/catalog.ts';
import { Accounts } from './accounts.ts';
import { createItem, findCreated } from './createItem.ts';
import type { Database } from './database.ts';
import { Ids } from './ids.ts';
import { updateItem } from './updateItem.ts';

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
