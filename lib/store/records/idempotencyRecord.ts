import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { IdempotencyKey } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs, EpochSeconds } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';
import type { NewItem } from '../../item/item.ts';
import { canonicalJson, type JsonObject } from '../../item/json.ts';
import { idempotencyLifetime } from '../../item/limits.ts';
import { expressions, isAbsent } from '../database/expressions.ts';
import { type Key, keyAttributes, type StoredRecord } from '../database/record.ts';
import { type ItemRecord, newItemRecord, readItem } from './itemRecord.ts';
import { keys } from './keys.ts';

/**
 * A create's key and the item it created, written in the same transaction, so that both exist or neither does. The
 * record holds a copy of the item: while it is there and has not expired, the same key writes nothing, and returns the item
 * as it was created, or is refused if the body has another fingerprint.
 */
const shape = z.object({
  fingerprint: z.string(),
  [keyAttributes.expiry]: z.int(),
  // Validated by `readItem`.
  item: z.custom<StoredRecord>(),
});

/** The table key for a create's idempotency key. */
export const idempotencyRecordKey = (context: RequestContext, { key }: Pick<IdempotencyKey, 'key'>): Key =>
  keys.idempotency(context.account, hashedKey(context, 'createItem', key));

/** Refused if the key has a record that has not expired. DynamoDB deletes expired ones with a delay. */
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

/**
 * Identifies a user's key for an operation. It is hashed because the key may be any text. Users of the same name are
 * not the same if their identity providers differ, or only one of them has a provider.
 */
export const hashedKey = (
  { user, issuer }: Pick<RequestContext, 'user' | 'issuer'>,
  operation: 'createItem' | 'updateItem',
  key: string,
): string =>
  createHash('sha256')
    .update(JSON.stringify([user, operation, key, ...(issuer === undefined ? [] : [issuer])]))
    .digest('hex');

/** Equal fields, in any order, have equal fingerprints. Stored ones outlive releases, so the algorithm must not change. */
export const fingerprint = (fields: JsonObject): string =>
  createHash('sha256').update(canonicalJson(fields)).digest('hex');

/**
 * An update with an idempotency key. The last few are kept in the item itself, where the update's own write can check and
 * store them. A record for each key would make every keyed update a transaction, at several times the write units.
 */
export interface KeyedUpdate {
  readonly key: string;
  readonly body: string;
  readonly at: EpochSeconds;
}

/** Enough to tell a few keys apart, and short, because an item above 1 KB costs another write unit. */
const hashLength = 24;

export const keyedUpdate = (context: RequestContext, { key, sent }: IdempotencyKey, now: EpochMs): KeyedUpdate => ({
  key: hashedKey(context, 'updateItem', key).slice(0, hashLength),
  body: fingerprint(sent).slice(0, hashLength),
  at: Math.floor(now / 1000),
});

/** The value of an attribute. It begins with the key, so that a condition can look for it. */
export const keyedUpdateText = ({ key, body, at }: KeyedUpdate): string => `${key} ${body} ${at}`;

/**
 * Whether an item has had an update with the same key. One that has `expired` means a new update.
 * @throws CatalogError `IDEMPOTENCY_KEY_REUSED` if that update had another body
 */
export function earlierUpdate(
  { keyedUpdates }: ItemRecord,
  { key, body, at }: KeyedUpdate,
): 'done' | 'expired' | 'none' {
  const earlier = keyedUpdates.map((text) => String(text).split(' ')).find(([first]) => first === key);
  if (earlier === undefined) return 'none';
  const [, earlierBody, earlierAt] = earlier;
  if (Number(earlierAt) + idempotencyLifetime <= at) return 'expired';
  if (earlierBody !== body) throw new CatalogError('IDEMPOTENCY_KEY_REUSED');
  return 'done';
}
