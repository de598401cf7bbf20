import type { OpenStore } from '../../catalog/catalogReader.ts';
import type { ItemWriter } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { dynamoItemCreator } from './dynamoItemCreator.ts';
import { dynamoItemUpdater } from './dynamoItemUpdater.ts';
import { findByIdentifier, findItem, findMatch } from './findItem.ts';

/** Creates and updates items in a DynamoDB table, as those that only create or only update do, with one cache of accounts. */
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
