import type { IdempotencyKey, InsertedItem } from '../../catalog/catalogStore.ts';
import { alreadyExists, CatalogError } from '../../item/errors.ts';
import type { ItemFields } from '../../item/fields.ts';
import type { Item, NewItem } from '../../item/item.ts';
import { getRecord, type Session } from '../database/database.ts';
import { expressions, isAbsent } from '../database/expressions.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { StoredRecord } from '../database/record.ts';
import { putRecord, transact } from '../database/writes.ts';
import { guardParts, identifiersNotIn, noIdentifiers, takenIdentifiers } from '../records/guardRecord.ts';
import {
  fingerprint,
  idempotencyRecordKey,
  putIdempotencyRecord,
  readIdempotencyRecord,
} from '../records/idempotencyRecord.ts';
import { newItemRecord, readItem } from '../records/itemRecord.ts';
import type { IdLease } from './idLease.ts';

/** Names of the transaction's parts, besides the guards. */
const part = { item: 'item', key: 'idempotency key' } as const;

/**
 * Stores a new item in one transaction with a guard for each identifier and the record of its idempotency key. One with
 * neither needs only a conditional put, at half the capacity. @throws CatalogError as `ItemCreator.insertItem` says
 */
export async function insertItem(
  session: Session,
  ids: Pick<IdLease, 'next'>,
  fields: ItemFields,
  key?: IdempotencyKey,
): Promise<InsertedItem> {
  const attempts = session.attempts();
  for (;;) {
    const item = { ...fields, id: await ids.next(session), revision: 1, createdAt: session.clock.now() };
    try {
      await write(session, item, key);
      return { item: { ...item, updatedAt: item.createdAt, updatedBy: session.context.user }, replayed: false };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (key !== undefined && error.failed(part.key)) return replay(error.stored(part.key), key);
      const record = error.stored(part.item);
      const stored = record && readItem(record);
      if (stored?.writeId === session.context.writeId) return { item: stored.item, replayed: false };
      // An earlier attempt may still land once the identifier is free, or may have landed and been overwritten.
      if (error.afterLostResponse) throw new CatalogError('SERVICE_UNAVAILABLE', { cause: error });
      if (!error.failed(part.item)) throw alreadyExists(takenIdentifiers(error, identifiersNotIn(item, noIdentifiers)));
      // A counter restored from a backup can give out ids that are in use. Try the next id.
      await attempts.backOff('moved', error);
    }
  }
}

async function write(session: Session, item: NewItem, key: IdempotencyKey | undefined): Promise<void> {
  const { context } = session;
  const put = {
    Item: newItemRecord(context, item),
    ...expressions((use) => ({ ConditionExpression: isAbsent(use) })),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const taken = identifiersNotIn(item, noIdentifiers);
  if (taken.length === 0 && key === undefined) return putRecord(session, put);
  const parts = {
    [part.item]: { Put: put },
    ...(key && { [part.key]: putIdempotencyRecord(context, key, item, item.createdAt) }),
    ...guardParts(context, item.id, { taken, freed: [] }),
  };
  // A key's record that exists is replayed, even if another part conflicted.
  return transact(session, parts, { isFinal: (failed) => failed.failed(part.key) });
}

/** The earlier result for a key. The record had not expired, because the condition that failed checks that. */
function replay(record: StoredRecord | undefined, key: IdempotencyKey): InsertedItem {
  const { item, ...earlier } = readIdempotencyRecord(record ?? {});
  if (earlier.fingerprint !== fingerprint(key.sent)) throw new CatalogError('IDEMPOTENCY_KEY_REUSED');
  return { item, replayed: true };
}

/** The item that was created with a key; undefined if there is none, or if it was created from another body. */
export async function findCreated(session: Session, key: IdempotencyKey): Promise<Item | undefined> {
  const record = await getRecord(session, idempotencyRecordKey(session.context, key));
  if (record === undefined) return undefined;
  const { expiresAt, item, ...earlier } = readIdempotencyRecord(record);
  return earlier.fingerprint === fingerprint(key.sent) && expiresAt * 1000 > session.clock.now() ? item : undefined;
}
