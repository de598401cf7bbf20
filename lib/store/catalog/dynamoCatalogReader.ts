import type { CatalogReader } from '../../catalog/catalogReader.ts';
import type { ListReader } from '../database/listReader.ts';
import { AccountCache } from './accountCache.ts';
import { findByIdentifier, findItem } from './findItem.ts';
import { listItems } from './listItems.ts';

/** Read-only access to the catalog in a DynamoDB table. Its account cache lives as long as the container. */
export function dynamoCatalogReader(table: ListReader): CatalogReader {
  const accounts = new AccountCache(table);
  return {
    account: (context) => accounts.get(context),
    currentAccount: (context) => accounts.current(context),
    findItem: (context, id) => findItem(table, context, id),
    findByIdentifier: (context, identifier) => findByIdentifier(table, context, identifier),
    listItems: (context, query) => listItems(table, context, query),
  };
}
