import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../item/json.ts';

/** How long a key is valid, in seconds. */
export const idempotencyLifetime = 24 * 60 * 60;

/** Identifies a user's key for an operation. It is hashed because the key may be any text. */
export const hashedKey = (user: string, operation: 'createItem' | 'updateItem', key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([user, operation, key]))
    .digest('hex');

/**
 * Identifies the fields sent with an idempotency key: equal fields, in any order, have equal fingerprints. The
 * algorithm must not change, because stored fingerprints outlive releases.
 * @param fields validated, so nesting is bounded
 */
export const fingerprint = (fields: JsonObject): string => createHash('sha256').update(canonical(fields)).digest('hex');

/** JSON with sorted object keys. */
function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)}}`;
}
