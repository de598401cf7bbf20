import type { CatalogReader } from '../../catalog/catalogReader.ts';
import type { ItemCreator, ItemUpdater } from '../../catalog/catalogStore.ts';
import { alreadyExists } from '../../item/errors.ts';
import { applyChange, missingItem } from '../../item/item.ts';
import type { Identifier } from '../../store/records/guardRecord.ts';
import { identifiersNotIn, noIdentifiers } from '../../store/records/guardRecord.ts';

/** A store that finds out what a create or update would do, and writes nothing. */
export function dryStore(reader: CatalogReader): ItemCreator & ItemUpdater {
  const requireFree = async (identifiers: readonly Identifier[]): Promise<void> => {
    for (const identifier of identifiers) {
      const holder = await reader.findByIdentifier(identifier);
      if (holder !== undefined) throw alreadyExists([{ field: identifier.name, item: holder.id }]);
    }
  };
  return {
    account: reader.account,
    currentAccount: reader.currentAccount,
    prepareInsert: async () => undefined,
    findCreated: async () => undefined,
    async insertItem(fields) {
      await requireFree(identifiersNotIn(fields, noIdentifiers));
      return { item: { ...fields, id: 0, revision: 1, createdAt: 0, updatedAt: 0, updatedBy: '' }, replayed: false };
    },
    async modifyItem({ id, change, account }) {
      const item = await reader.findItem(id);
      if (item === undefined) throw missingItem(change, account);
      const next = applyChange(item, change, account);
      await requireFree(identifiersNotIn(next, item));
      return { item: next, isOutdated: false, replayed: false };
    },
  };
}
