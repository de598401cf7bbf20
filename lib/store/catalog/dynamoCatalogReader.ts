import type { CatalogReader } from '../../catalog/catalogReader.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { findByIdentifier, findItem } from './findItem.ts';
import { listItems } from './listItems.ts';

/** Read-only access to the catalog in a DynamoDB table. Its account cache lives as long as the container. */
export function dynamoCatalogReader(database: Database): CatalogReader {
  const accounts = new AccountCache();
  return {
    account: (context) => accounts.get(database.for(context)),
    currentAccount: (context) => accounts.current(database.for(context)),
    findItem: (context, id) => findItem(database.for(context), id),
    findByIdentifier: (context, identifier) => findByIdentifier(database.for(context), identifier),
    listItems: (context, query) => listItems(database.for(context), query),
  };
}
