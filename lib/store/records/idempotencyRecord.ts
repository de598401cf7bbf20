import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { IdempotencyKey } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Item } from '../../item/item.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { fingerprint } from './fingerprint.ts';
import { newItemRecord, readItem } from './itemRecord.ts';
import type { Key } from './keys.ts';
import { keyAttributes, keys } from './keys.ts';

/** How long a key is valid, in seconds. */
export const idempotencyLifetime = 24 * 60 * 60;

/**
 * A create's key and the item it created, written in the same transaction, so that both exist or neither does. The
 * record holds a copy of the item, so that a replay returns the item as it was created.
 */
const shape = z.object({
  fingerprint: z.string(),
  [keyAttributes.expiry]: z.int(),
  item: z.record(z.string(), z.unknown()),
});

/**
 * The table key for a caller's idempotency key. It is separate for each user, and hashed because the key may be any
 * text.
 */
export const idempotencyRecordKey = ({ account, user }: RequestContext, { key }: IdempotencyKey): Key =>
  keys.idempotency(
    account,
    createHash('sha256')
      .update(JSON.stringify([user, 'createItem', key]))
      .digest('hex'),
  );

/**
 * Stores a key with its item. The condition fails if there is an earlier record of the key that has not expired. An
 * expired record may still exist, because DynamoDB deletes it with a delay.
 * @param now milliseconds since 1970
 */
export const putIdempotencyRecord = (
  table: string,
  context: RequestContext,
  key: IdempotencyKey,
  item: Item,
  now: number,
) => ({
  Put: {
    TableName: table,
    Item: {
      ...idempotencyRecordKey(context, key),
      fingerprint: fingerprint(key.sent),
      [keyAttributes.expiry]: expiryFrom(now),
      item: newItemRecord(context, item),
    },
    ConditionExpression: 'attribute_not_exists(#pk) OR #expiry <= :now',
    ExpressionAttributeNames: { '#pk': keyAttributes.partition, '#expiry': keyAttributes.expiry },
    ExpressionAttributeValues: { ':now': Math.floor(now / 1000) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  },
});

/** When a key that is used at this time expires, in seconds since 1970. */
const expiryFrom = (now: number): number => Math.floor(now / 1000) + idempotencyLifetime;

/**
 * An update for a record that never expires, or expires after `latest`: makes it expire one lifetime from now.
 * @param now milliseconds since 1970
 * @param latest seconds since 1970
 */
export const endIdempotencyRecord = (key: Key, now: number, latest: number) => ({
  Key: key,
  UpdateExpression: 'SET #expiry = :end',
  ConditionExpression: 'attribute_exists(#pk) AND (NOT attribute_type(#expiry, :number) OR #expiry > :latest)',
  ExpressionAttributeNames: { '#pk': keyAttributes.partition, '#expiry': keyAttributes.expiry },
  ExpressionAttributeValues: { ':end': expiryFrom(now), ':latest': latest, ':number': 'N' },
});

/** An idempotency record as read from the table. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  /** The item as it was created. */
  readonly item: Item;
}

/** @throws an error if the record is not an idempotency record */
export function readIdempotencyRecord(record: StoredRecord): IdempotencyRecord {
  const { fingerprint, [keyAttributes.expiry]: expiresAt, item } = shape.parse(record);
  return { fingerprint, expiresAt, item: readItem(item).item };
}
