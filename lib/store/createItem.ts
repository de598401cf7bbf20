import type { Call } from '../item/catalog.ts';
import { CatalogError } from '../item/errors.ts';
import type { Item, ItemFields } from '../item/item.ts';
import type { Database } from './database.ts';
import { Refused } from './failures.ts';
import { codesBeyond, noCodes, takeCode } from './guards.ts';
import type { Ids } from './ids.ts';
import { newItemRecord, readItem } from './itemRecord.ts';
import { keyAttributes } from './keys.ts';

/**
 * Keeps a new item: one transaction with a guard for each of its codes, or one conditional put, at half the capacity,
 * when it has none.
 * @throws CatalogError `ITEM_ALREADY_EXISTS` when another item has one of its codes; then nothing is kept
 */
export async function createItem(database: Database, ids: Ids, call: Call, fields: ItemFields): Promise<Item> {
  const retries = database.retries(call);
  for (;;) {
    const item = { ...fields, id: await ids.next(call), revision: 1, createdAt: database.world.now() };
    try {
      await put(database, call, item);
      return item;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const stored = error.slots[0]?.record && readItem(error.slots[0].record);
      if (stored?.stamp === call.stamp) return stored.item;
      if (!error.failed(0)) throw new CatalogError('ITEM_ALREADY_EXISTS');
      // A counter restored from a backup gives out ids that are in use; the next ones are tried.
      await retries.again('moved', error);
    }
  }
}

async function put(database: Database, call: Call, item: Item): Promise<void> {
  const write = {
    Item: newItemRecord(call, item),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': keyAttributes.partition },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const codes = codesBeyond(item, noCodes);
  if (codes.length === 0) return database.put(call, write);
  return database.transact(call, [
    { Put: { ...write, TableName: database.table } },
    ...codes.map((code) => takeCode(database.table, call, item.id, code)),
  ]);
}
