import { alreadyExists, type TakenIdentifier } from '../item/errors.ts';
import { type ItemFields, identifierNames } from '../item/fields.ts';
import { applyChange, missingItem } from '../item/item.ts';
import type { ItemWriter } from './catalogStore.ts';

type Reader = Pick<ItemWriter, 'account' | 'currentAccount' | 'findItem' | 'findByIdentifier'>;

/**
 * Finds out what a create or update would do, and writes nothing. It does not look for earlier requests with the same
 * key, nor whether an item becomes too large.
 */
export function dryWriter({ account, currentAccount, findItem, findByIdentifier }: Reader): ItemWriter {
  const requireFree = async (wanted: ItemFields, own?: ItemFields): Promise<void> => {
    const taken: TakenIdentifier[] = [];
    for (const field of identifierNames) {
      const text = wanted[field];
      if (text === null || text === own?.[field]) continue;
      const holder = await findByIdentifier({ name: field, text });
      if (holder !== undefined) taken.push({ field, item: holder.id });
    }
    if (taken.length > 0) throw alreadyExists(taken);
  };
  return {
    account,
    currentAccount,
    findItem,
    findByIdentifier,
    prepareInsert: async () => undefined,
    findCreated: async () => undefined,
    findMatch: findByIdentifier,
    async insertItem(fields) {
      await requireFree(fields);
      return { item: { ...fields, id: 0, revision: 1, createdAt: 0, updatedAt: 0, updatedBy: '' }, replayed: false };
    },
    async modifyItem({ id, change, revisions, account: cached }) {
      const item = await findItem(id);
      if (item === undefined) throw missingItem(change, cached);
      const next = applyChange(item, change, cached.units.has(item.unit) ? cached : await currentAccount());
      await requireFree(next, item);
      const isOutdated = revisions?.includes(item.revision) === false;
      return { item: isOutdated ? item : next, isOutdated, replayed: false };
    },
  };
}
