import { alreadyExists, type TakenIdentifier } from '../item/errors.ts';
import { fieldChanges } from '../item/fieldChanges.ts';
import { type ItemFields, identifierNames } from '../item/fields.ts';
import { applyChange, type Item, missingItem } from '../item/item.ts';
import type { ItemWriter } from './catalogStore.ts';

type Reader = Omit<ItemWriter, 'prepareInsert' | 'insertItem' | 'modifyItem'>;

/** Writes nothing. Ignores earlier updates with the same key, and the size of the item. */
export function dryWriter(reader: Reader): ItemWriter {
  const { currentAccount, findItem, findCreated } = reader;
  /** Memoised: a dry run costs no more reads than the write. */
  const found = new Map<string, Item | undefined>();
  const findByIdentifier: Reader['findByIdentifier'] = async ({ name, text }) => {
    const key = `${name} ${text}`;
    if (!found.has(key)) found.set(key, await reader.findByIdentifier({ name, text }));
    return found.get(key);
  };
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
    ...reader,
    findByIdentifier,
    prepareInsert: async () => undefined,
    async insertItem(fields, key) {
      const earlier = key && (await findCreated(key));
      if (earlier) return { item: earlier, replayed: true };
      await requireFree(fields);
      return { item: { ...fields, id: 0, revision: 1, createdAt: 0, updatedAt: 0, updatedBy: '' }, replayed: false };
    },
    async modifyItem({ id, change, revisions, skipsUnchanged, account: cached }) {
      const item = [...found.values()].find((one) => one?.id === id) ?? (await findItem(id));
      if (item === undefined) throw missingItem(change, cached);
      const next = applyChange(item, change, cached.units.has(item.unit) ? cached : await currentAccount());
      await requireFree(next, item);
      const isOutdated = revisions?.includes(item.revision) === false;
      const isUnchanged = skipsUnchanged === true && fieldChanges(item, next).length === 0;
      return { item: isOutdated || isUnchanged ? item : next, before: item, isOutdated, replayed: false, isUnchanged };
    },
  };
}
