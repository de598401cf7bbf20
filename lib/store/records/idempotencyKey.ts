import { createHash } from 'node:crypto';
import type { IdempotencyKey } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { EpochMs, EpochSeconds } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';
import { canonicalJson, type JsonObject } from '../../item/json.ts';
import { idempotencyLifetime } from '../../item/limits.ts';
import type { ItemRecord } from './itemRecord.ts';

/**
 * Identifies a user's key for an operation. It is hashed because the key may be any text. Users of the same name are
 * different ones if different identity providers name them so, or only one of them is named by a provider.
 */
export const hashedKey = (
  { user, issuer }: Pick<RequestContext, 'user' | 'issuer'>,
  operation: 'createItem' | 'updateItem',
  key: string,
): string =>
  createHash('sha256')
    .update(JSON.stringify([user, operation, key, ...(issuer === undefined ? [] : [issuer])]))
    .digest('hex');

/**
 * Identifies the fields sent with an idempotency key: equal fields, in any order, have equal fingerprints. The
 * algorithm must not change, because stored fingerprints outlive releases.
 * @param fields validated, so nesting is bounded
 */
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
 * Whether an item has had an update with the same key.
 * @returns `expired` if the key is no longer valid, so that it means a new update
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
