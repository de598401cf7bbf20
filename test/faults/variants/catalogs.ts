import type { ItemWriter } from '../../../lib/catalog/catalogStore.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import type { ItemChange } from '../../../lib/item/item.ts';
import { limits } from '../../../lib/item/limits.ts';
import { mergeMetadata, tooMuchMetadata } from '../../../lib/item/metadata.ts';
import { itemUpdateInput } from '../../../lib/store/catalog/itemUpdateInput.ts';
import { getRecord } from '../../../lib/store/database/reads.ts';
import { putRecord, updateRecord } from '../../../lib/store/database/writes.ts';
import { putIdempotencyRecord } from '../../../lib/store/records/idempotencyRecord.ts';
import { readItem } from '../../../lib/store/records/itemRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import type { Variant } from '../process.ts';

/** Stores that send DynamoDB the wrong requests, or in the wrong order. */

export const noRecord: Variant = {
  catalog: (open) => (context) => {
    const store = open(context);
    return { ...store, insertItem: (fields) => store.insertItem(fields) };
  },
};

export const noUpdateKeys: Variant = {
  catalog: (open) => (context) => {
    const store = open(context);
    return { ...store, modifyItem: ({ key: _key, ...modification }) => store.modifyItem(modification) };
  },
};

/** Looks up the key first and stores it last, each in a separate request. */
export const recordAfterwards: Variant = {
  catalog: (open, database) => (context) => {
    const store = open(context);
    return {
      ...store,
      insertItem: async (fields, key) => {
        const earlier = key && (await store.findCreated(key));
        if (earlier !== undefined) return { item: earlier, replayed: true };
        const created = await store.insertItem(fields);
        if (key === undefined) return created;
        const { Put } = putIdempotencyRecord(context, key, created.item, database.clock.now());
        // Another request stored the key first, but this item exists anyway.
        await putRecord(database.for(context), Put).catch(() => undefined);
        return created;
      },
    };
  },
};

/** Reads the metadata, merges it here, and writes all of it back. */
export const metadataReadModifyWrite: Variant = {
  catalog: (open, database) => (context) => {
    const store = open(context);
    const modifyItem: ItemWriter['modifyItem'] = async (modification) => {
      const { id, change, revisions, key } = modification;
      const isMerge = Object.keys(change.metadata.set).length + change.metadata.remove.length > 0;
      const { sku, pn } = change.fields;
      const isPlain = [sku, pn, change.unroundedQty, revisions, key].every((assumption) => assumption === undefined);
      if (!isMerge || !isPlain) return store.modifyItem(modification);
      const record = await getRecord(database.for(context), keys.item(context.account, id));
      const metadata = mergeMetadata(readItem(record ?? {}).item.metadata, change.metadata);
      if (Object.keys(metadata).length > limits.metadata.keysStored) throw tooMuchMetadata();
      const write = itemUpdateInput(context, database.clock.now(), id, {
        fields: { ...change.fields, metadata } as ItemChange['fields'],
        metadata: { set: {}, remove: [] },
        expected: {},
      });
      const stored = await updateRecord(database.for(context), write, { idempotent: false }).catch((cause) => {
        throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
      });
      return { item: readItem(stored).item, isOutdated: false, replayed: false };
    };
    return { ...store, modifyItem };
  },
};
