import { awaitAll } from '../catalog/awaitAll.ts';
import type { OpenStore } from '../catalog/catalogReader.ts';
import type { RequestContext } from '../catalog/requestContext.ts';
import { AccountCache } from '../store/catalog/accountCache.ts';
import type { Database } from '../store/database/database.ts';
import { changesTable } from '../store/records/keys.ts';
import type { ChangeReader } from './changeReader.ts';
import { findChange, listChanges, listItemChanges } from './listChanges.ts';

/** Read-only access to what has changed. Its account cache lives as long as the container. */
export function dynamoChangeReader(database: Database): OpenStore<ChangeReader> {
  const accounts = new AccountCache();
  const changes = database.beside(changesTable(database.table));
  const ifOpen = async <Page>(context: RequestContext, listing: Promise<Page>): Promise<Page> => {
    const [page] = await awaitAll([listing, accounts.get(database.for(context))]);
    return page;
  };
  return (context) => ({
    listChanges: (from, limit) => ifOpen(context, listChanges(changes.for(context), from, limit)),
    findChange: (recordedFrom) => ifOpen(context, findChange(changes.for(context), recordedFrom)),
    listItemChanges: (item, after, limit) => ifOpen(context, listItemChanges(changes.for(context), item, after, limit)),
  });
}
