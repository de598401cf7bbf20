import type { CatalogReader, ItemCreator, ItemUpdater, ItemWriter, OpenStore } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { findByIdentifier, findItem, findItems, findMatch, listPage } from './findItems.ts';
import { IdLease } from './idLease.ts';
import { findCreated, insertItem } from './insertItem.ts';
import { modifyItem } from './modifyItem.ts';

/** Read-only access to the catalog in a DynamoDB table. Its account cache lives as long as the container. */
export function dynamoCatalogReader(database: Database): OpenStore<CatalogReader> {
  const accounts = new AccountCache();
  return (context) => {
    const session = database.for(context);
    return {
      account: () => accounts.get(session),
      currentAccount: () => accounts.current(session),
      findItem: (id) => findItem(session, id),
      findItems: (ids) => findItems(session, ids),
      findByIdentifier: (identifier) => findByIdentifier(session, identifier),
      listPage: (query) => listPage(session, query),
    };
  };
}

/** Creates items in a DynamoDB table. Configurations and leased ids stay in memory as long as the container lives. */
export function dynamoItemCreator(database: Database, accounts = new AccountCache()): OpenStore<ItemCreator> {
  const ids = new IdLease();
  return (context) => {
    const session = database.for(context);
    return {
      account: () => accounts.get(session),
      currentAccount: () => accounts.current(session),
      accountWith: (category, unit) => accounts.with(session, category, unit),
      prepareInsert: (count) => ids.prepare(session, count),
      insertItem: (fields, key) => insertItem(session, ids, fields, key),
      findCreated: (key) => findCreated(session, key),
    };
  };
}

/** Updates items in a DynamoDB table. Configurations stay in memory as long as the container lives. */
export const dynamoItemUpdater =
  (database: Database, accounts = new AccountCache()): OpenStore<ItemUpdater> =>
  (context) => {
    const session = database.for(context);
    return {
      account: () => accounts.get(session),
      currentAccount: () => accounts.current(session),
      accountWith: (category, unit) => accounts.with(session, category, unit),
      modifyItem: (modification) => modifyItem(session, accounts, modification),
    };
  };

/** Creates and updates items in a DynamoDB table, with one cache of accounts. */
export function dynamoItemWriter(database: Database): OpenStore<ItemWriter> {
  const accounts = new AccountCache();
  const creator = dynamoItemCreator(database, accounts);
  const updater = dynamoItemUpdater(database, accounts);
  return (context) => {
    const session = database.for(context);
    return {
      ...creator(context),
      ...updater(context),
      findItem: (id) => findItem(session, id),
      findByIdentifier: (identifier) => findByIdentifier(session, identifier),
      findMatch: (identifier, key) => findMatch(session, identifier, key),
    };
  };
}
