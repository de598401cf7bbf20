import type { OpenStore } from '../../catalog/catalogReader.ts';
import type { ChangeReader } from '../../catalog/changeReader.ts';
import type { Database } from '../database/database.ts';
import { changesTable } from '../records/keys.ts';
import { AccountCache } from './accountCache.ts';
import { listChanges } from './listChanges.ts';

/** Read-only access to what has changed. Its account cache lives as long as the container. */
export function dynamoChangeReader(database: Database): OpenStore<ChangeReader> {
  const accounts = new AccountCache();
  const changes = database.beside(changesTable(database.table));
  return (context) => ({
    listChanges: async (from, limit) => {
      const listing = listChanges(changes.for(context), from, limit);
      const [page] = await Promise.all([listing, accounts.get(database.for(context))]);
      return page;
    },
  });
}
