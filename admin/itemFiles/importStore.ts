import type { CatalogReader } from '../../lib/catalog/catalogReader.ts';
import type { ItemCreator, ItemUpdater } from '../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { alreadyExists } from '../../lib/item/errors.ts';
import { applyChange, missingItem } from '../../lib/item/item.ts';
import { AccountCache } from '../../lib/store/catalog/accountCache.ts';
import { dynamoCatalogReader } from '../../lib/store/catalog/dynamoCatalogReader.ts';
import { dynamoItemCreator } from '../../lib/store/catalog/dynamoItemCreator.ts';
import { dynamoItemUpdater } from '../../lib/store/catalog/dynamoItemUpdater.ts';
import { IdLease } from '../../lib/store/catalog/idLease.ts';
import { insertItem } from '../../lib/store/catalog/insertItem.ts';
import type { Database, Session } from '../../lib/store/database/database.ts';
import type { Identifiers } from '../../lib/store/records/guardRecord.ts';
import { identifiersNotIn, noIdentifiers } from '../../lib/store/records/guardRecord.ts';
import type { ImportProgress } from './importProgress.ts';

export type ImportStore = ItemCreator & ItemUpdater & CatalogReader;

/**
 * Opens a table for the rows of an import. The id of a create is noted before it is sent.
 * @param progress undefined for a dry run
 */
export function importStore(
  database: Database,
  progress: ImportProgress | undefined,
): (line: number, context: RequestContext) => ImportStore {
  const accounts = new AccountCache();
  const ids = new IdLease();
  const reader = dynamoCatalogReader(database);
  const creator = dynamoItemCreator(database, accounts);
  const updater = dynamoItemUpdater(database, accounts);
  return (line, context) => {
    if (progress === undefined) return dryStore(reader(context));
    const next = async (session: Session) => {
      const id = await ids.next(session);
      progress.note(line, id);
      return id;
    };
    return {
      ...reader(context),
      ...creator(context),
      ...updater(context),
      insertItem: (fields, key) => insertItem(database.for(context), { next }, fields, key),
    };
  };
}

/** Finds out what a create or update would do, and writes nothing. */
function dryStore(reader: CatalogReader): ImportStore {
  const requireFree = async (wanted: Identifiers, own = noIdentifiers): Promise<void> => {
    for (const identifier of identifiersNotIn(wanted, own)) {
      const holder = await reader.findByIdentifier(identifier);
      if (holder !== undefined) throw alreadyExists([{ field: identifier.name, item: holder.id }]);
    }
  };
  return {
    ...reader,
    prepareInsert: async () => undefined,
    findCreated: async () => undefined,
    async insertItem(fields) {
      await requireFree(fields);
      return { item: { ...fields, id: 0, revision: 1, createdAt: 0, updatedAt: 0, updatedBy: '' }, replayed: false };
    },
    async modifyItem({ id, change, account }) {
      const item = await reader.findItem(id);
      if (item === undefined) throw missingItem(change, account);
      const next = applyChange(item, change, account);
      await requireFree(next, item);
      return { item: next, isOutdated: false, replayed: false };
    },
  };
}
