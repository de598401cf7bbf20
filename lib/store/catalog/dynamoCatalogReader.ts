import type { CatalogReader, OpenStore } from '../../catalog/catalogReader.ts';
import type { Database } from '../database/database.ts';
import { AccountCache } from './accountCache.ts';
import { findByIdentifier, findItem, findItems } from './findItem.ts';
import { listPage } from './listPage.ts';

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
