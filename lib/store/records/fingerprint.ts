import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../item/json.ts';

/**
 * Tells what was sent under one idempotency key apart: equal for equal fields, in whatever order. It must stay as it is,
 * since stored fingerprints outlive releases.
 * @param fields validated, and so not deep
 */
export const fingerprint = (fields: JsonObject): string => createHash('sha256').update(canonical(fields)).digest('hex');

/** JSON with the keys of objects in order. */
function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)}}`;
}
