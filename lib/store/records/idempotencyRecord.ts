import * as z from 'zod/mini';
import type { IdempotencyKey } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs, EpochSeconds } from '../../item/epoch.ts';
import type { NewItem } from '../../item/item.ts';
import { idempotencyLifetime } from '../../item/limits.ts';
import { expressions, isAbsent } from '../database/expressions.ts';
import { type Key, keyAttributes, type StoredRecord } from '../database/record.ts';
import { fingerprint, hashedKey } from './idempotencyKey.ts';
import { newItemRecord, readItem } from './itemRecord.ts';
import { keys } from './keys.ts';

/**
 * A create's key and the item it created, written in the same transaction, so that both exist or neither does. The
 * record holds a copy of the item, so that a replay returns the item as it was created.
 *
 *     client            function                          table
 *       |--- key, body --->|--- item, guards, record ------->| the condition on the record holds: all are written
 *       |                  |                     (lost) x----|
 *       |                  |--- the same again ------------->| the record is there
 *       |<-- 201 ----------|<-- its copy of the item --------|
 *       |--- key, body --->|--- with another id ------------>| the record is there: nothing is written
 *       |<-- 201, replayed-|<-- its copy of the item --------|
 *       |--- key, other -->|-------------------------------->| the record has another fingerprint
 *       |<-- 422 ----------|                                 |
 *      ... 24 hours later, whether DynamoDB has deleted the record or not ...
 *       |--- key, body --->|-------------------------------->| the condition holds again: a new item
 */
const shape = z.object({
  fingerprint: z.string(),
  [keyAttributes.expiry]: z.int(),
  item: z.record(z.string(), z.unknown()),
});

/** The table key for a create's idempotency key. */
export const idempotencyRecordKey = (context: RequestContext, { key }: Pick<IdempotencyKey, 'key'>): Key =>
  keys.idempotency(context.account, hashedKey(context, 'createItem', key));

/**
 * Stores a key with its item. The condition fails if there is an earlier record of the key that has not expired. An
 * expired record may still exist, because DynamoDB deletes it with a delay.
 */
export const putIdempotencyRecord = (context: RequestContext, key: IdempotencyKey, item: NewItem, now: EpochMs) => ({
  Put: {
    Item: {
      ...idempotencyRecordKey(context, key),
      fingerprint: fingerprint(key.sent),
      [keyAttributes.expiry]: expiryFrom(now),
      item: newItemRecord(context, item),
    },
    ...expressions((use) => ({
      ConditionExpression: `${isAbsent(use)} OR ${use.name(keyAttributes.expiry)} <= ${use.value(Math.floor(now / 1000))}`,
    })),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  },
});

const expiryFrom = (now: EpochMs): EpochSeconds => Math.floor(now / 1000) + idempotencyLifetime;

/** The latest valid expiry of a record that is written at this time, by any clock. */
export const latestExpiry = (now: EpochMs): EpochSeconds =>
  Math.ceil((now + timeouts.clockSkew) / 1000) + idempotencyLifetime;

export function readIdempotencyRecord(record: StoredRecord) {
  const { fingerprint, [keyAttributes.expiry]: expiresAt, item } = shape.parse(record);
  return { fingerprint, expiresAt, item: readItem(item).item };
}
