import type { Call, Created, IdempotencyKey } from '../../catalog/catalogStore.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Item, ItemFields } from '../../item/item.ts';
import type { Attributes } from '../database/attributes.ts';
import type { Database } from '../database/database.ts';
import { Refused } from '../database/failures.ts';
import { codesBeyond, noCodes, takeCode } from '../records/guardRecord.ts';
import { createdUnder, hasEnded, idempotencyRecordKey, keepKey } from '../records/idempotencyRecord.ts';
import { newItemRecord, readItem } from '../records/itemRecord.ts';
import { keyAttributes } from '../records/keys.ts';
import type { Ids } from './idLease.ts';

/**
 * Keeps a new item: one transaction with a guard for each of its codes and the record of its key, or one conditional
 * put, at half the capacity, when it has none of them.
 * @throws CatalogError as `Catalog.create` says
 */
export async function createItem(
  database: Database,
  ids: Ids,
  call: Call,
  fields: ItemFields,
  key?: IdempotencyKey,
): Promise<Created> {
  const retries = database.retries(call);
  for (;;) {
    const item = { ...fields, id: await ids.next(call), revision: 1, createdAt: database.world.now() };
    try {
      await put(database, call, item, key);
      return { item, replayed: false };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (key !== undefined && error.failed(keyPlace)) return replay(error.slots[keyPlace]?.record, key);
      const stored = error.slots[0]?.record && readItem(error.slots[0].record);
      if (stored?.stamp === call.stamp) return { item: stored.item, replayed: false };
      if (!error.failed(0)) throw new CatalogError('ITEM_ALREADY_EXISTS');
      // Sent twice, and since written by another: it may have been ours.
      if (error.uncertain) throw new CatalogError('SERVICE_UNAVAILABLE', { cause: error });
      // A counter restored from a backup gives out ids that are in use; the next ones are tried.
      await retries.again('moved', error);
    }
  }
}

/** The place of the key's record in the transaction, after the item's and before the guards'. */
const keyPlace = 1;

async function put(database: Database, call: Call, item: Item, key: IdempotencyKey | undefined): Promise<void> {
  const { table } = database;
  const write = {
    Item: newItemRecord(call, item),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': keyAttributes.partition },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const codes = codesBeyond(item, noCodes);
  if (codes.length === 0 && key === undefined) return database.put(call, write);
  const records = [
    { Put: { ...write, TableName: table } },
    ...(key === undefined ? [] : [keepKey(table, call, key, item, item.createdAt)]),
    ...codes.map((code) => takeCode(table, call, item.id, code)),
  ];
  // Whoever has used the key before has decided, whatever else the transaction met.
  return database.transact(call, records, (refused) => key !== undefined && refused.failed(keyPlace));
}

/** The answer that a key has had before. Its record had not ended when the condition on it was written. */
function replay(record: Attributes | undefined, key: IdempotencyKey): Created {
  const item = record && createdUnder(record, key);
  if (item === undefined) throw new CatalogError('IDEMPOTENCY_KEY_REUSED');
  return { item, replayed: true };
}

/** What was created under a key; undefined when nothing was, or something else was asked under it. */
export async function findCreated(database: Database, call: Call, key: IdempotencyKey): Promise<Item | undefined> {
  const record = await database.get(call, idempotencyRecordKey(call, key));
  return record && !hasEnded(record, database.world.now()) ? createdUnder(record, key) : undefined;
}
