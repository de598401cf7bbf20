import type { Created, IdempotencyKey, RequestContext } from '../../catalog/catalogStore.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Item, ItemFields } from '../../item/item.ts';
import type { Attributes } from '../database/attributes.ts';
import type { Database } from '../database/database.ts';
import { ConditionFailed } from '../database/failures.ts';
import { identifiersBeyond, noIdentifiers, putGuard } from '../records/guardRecord.ts';
import {
  idempotencyRecordKey,
  isExpired,
  putIdempotencyRecord,
  readCreatedItem,
} from '../records/idempotencyRecord.ts';
import { newItemRecord, readItem } from '../records/itemRecord.ts';
import { keyAttributes } from '../records/keys.ts';
import type { IdLease } from './idLease.ts';

/**
 * Keeps a new item: one transaction with a guard for each of its codes and the record of its key, or one conditional
 * put, at half the capacity, when it has none of them.
 * @throws CatalogError as `Catalog.create` says
 */
export async function insertItem(
  database: Database,
  ids: IdLease,
  call: RequestContext,
  fields: ItemFields,
  key?: IdempotencyKey,
): Promise<Created> {
  const retries = database.attempts(call);
  for (;;) {
    const item = { ...fields, id: await ids.next(call), revision: 1, createdAt: database.clock.now() };
    try {
      await put(database, call, item, key);
      return { item, replayed: false };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (key !== undefined && error.failed(keyPlace)) return replay(error.reasons[keyPlace]?.record, key);
      const stored = error.reasons[0]?.record && readItem(error.reasons[0].record);
      if (stored?.writeId === call.writeId) return { item: stored.item, replayed: false };
      if (!error.failed(0)) throw new CatalogError('ITEM_ALREADY_EXISTS');
      // Sent twice, and since written by another: it may have been ours.
      if (error.afterLostAnswer) throw new CatalogError('SERVICE_UNAVAILABLE', { cause: error });
      // A counter restored from a backup gives out ids that are in use; the next ones are tried.
      await retries.backOff('moved', error);
    }
  }
}

/** The place of the key's record in the transaction, after the item's and before the guards'. */
const keyPlace = 1;

async function put(
  database: Database,
  call: RequestContext,
  item: Item,
  key: IdempotencyKey | undefined,
): Promise<void> {
  const { table } = database;
  const write = {
    Item: newItemRecord(call, item),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': keyAttributes.partition },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const codes = identifiersBeyond(item, noIdentifiers);
  if (codes.length === 0 && key === undefined) return database.put(call, write);
  const records = [
    { Put: { ...write, TableName: table } },
    ...(key === undefined ? [] : [putIdempotencyRecord(table, call, key, item, item.createdAt)]),
    ...codes.map((code) => putGuard(table, call, item.id, code)),
  ];
  // Whoever has used the key before has decided, whatever else the transaction met.
  return database.transact(call, records, (refused) => key !== undefined && refused.failed(keyPlace));
}

/** The answer that a key has had before. Its record had not ended when the condition on it was written. */
function replay(record: Attributes | undefined, key: IdempotencyKey): Created {
  const item = record && readCreatedItem(record, key);
  if (item === undefined) throw new CatalogError('IDEMPOTENCY_KEY_REUSED');
  return { item, replayed: true };
}

/** What was created under a key; undefined when nothing was, or something else was asked under it. */
export async function findCreated(
  database: Database,
  call: RequestContext,
  key: IdempotencyKey,
): Promise<Item | undefined> {
  const record = await database.get(call, idempotencyRecordKey(call, key));
  return record && !isExpired(record, database.clock.now()) ? readCreatedItem(record, key) : undefined;
}
