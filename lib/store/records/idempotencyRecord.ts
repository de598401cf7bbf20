import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { IdempotencyKey, RequestContext } from '../../catalog/catalogStore.ts';
import type { Item } from '../../item/item.ts';
import type { Attributes } from '../database/attributes.ts';
import { fromAttributes, toAttribute, toAttributes } from '../database/attributes.ts';
import { keyOf } from '../database/database.ts';
import { newItemRecord, readItem } from './itemRecord.ts';
import type { Key } from './keys.ts';
import { keyAttributes, keys } from './keys.ts';

/** How long a key is kept, in seconds. */
const lifetime = 24 * 60 * 60;

/**
 * A create's key and what it created, written in the create's own transaction: either both are there or neither. The
 * item's record is kept as it was written, so that a repeat answers the item as it was created.
 */
const shape = z.object({ fingerprint: z.string(), [keyAttributes.expiry]: z.int() });

/** Where a caller's key is kept: apart from every other user's, and as a hash, as a key may be any text. */
export const idempotencyRecordKey = ({ account, user }: RequestContext, { key }: IdempotencyKey): Key =>
  keys.idempotency(
    account,
    createHash('sha256')
      .update(JSON.stringify([user, 'createItem', key]))
      .digest('hex'),
  );

/**
 * Keeps the key with the item; refused while an earlier record of it has not ended. One that has ended may still be
 * there: DynamoDB deletes it only some time after.
 * @param now milliseconds since 1970
 */
export const putIdempotencyRecord = (
  table: string,
  call: RequestContext,
  key: IdempotencyKey,
  item: Item,
  now: number,
) => ({
  Put: {
    TableName: table,
    Item: {
      ...keyOf(idempotencyRecordKey(call, key)),
      ...toAttributes({ fingerprint: key.fingerprint(), [keyAttributes.expiry]: Math.floor(now / 1000) + lifetime }),
      item: { M: newItemRecord(call, item) },
    },
    ConditionExpression: 'attribute_not_exists(#pk) OR #expiry <= :now',
    ExpressionAttributeNames: { '#pk': keyAttributes.partition, '#expiry': keyAttributes.expiry },
    ExpressionAttributeValues: { ':now': toAttribute(Math.floor(now / 1000)) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  },
});

/**
 * The item that was created under a key.
 * @returns undefined when the record is of another body
 * @throws an error when the record cannot be read
 */
export function readCreatedItem(record: Attributes, key: IdempotencyKey): Item | undefined {
  const { fingerprint } = shape.parse(fromAttributes(record));
  const { item } = readItem(record['item']?.M ?? {});
  return fingerprint === key.fingerprint() ? item : undefined;
}

/** @param now milliseconds since 1970 */
export const isExpired = (record: Attributes, now: number): boolean =>
  shape.parse(fromAttributes(record))[keyAttributes.expiry] * 1000 <= now;
