/**
 * Updates with an idempotency key. The last few are kept in the item itself, where the update's own write can check and
 * store them. A record for each key would make every keyed update a transaction, at several times the write units.
 */

import type { IdempotencyKey } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { EpochMs, EpochSeconds } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';
import { fingerprint, hashedKey, idempotencyLifetime } from './idempotencyKey.ts';
import type { ItemRecord } from './itemRecord.ts';

export interface KeyedUpdate {
  /** Identifies the user and the key. */
  readonly key: string;
  /** Identifies the validated body. */
  readonly body: string;
  readonly at: EpochSeconds;
}

/** Enough to tell a few keys apart, and short, because an item above 1 KB costs another write unit. */
const hashLength = 24;

export const keyedUpdate = ({ user }: RequestContext, { key, sent }: IdempotencyKey, now: EpochMs): KeyedUpdate => ({
  key: hashedKey(user, 'updateItem', key).slice(0, hashLength),
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
