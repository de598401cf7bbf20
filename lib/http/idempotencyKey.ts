import { createHash } from 'node:crypto';
import type { IdempotencyKey } from '../catalog/catalogStore.ts';
import { CatalogError } from '../item/errors.ts';
import type { Json, JsonObject } from '../item/json.ts';
import { fieldNames } from '../item/limits.ts';

/** 1 to 255 visible ASCII characters, bare or as a quoted string. */
const form = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x21-\x7e]{0,254}))$/;

/**
 * The `Idempotency-Key` of a create, with a fingerprint of the request.
 * @param values the header's values, as often as it was sent
 * @param body the request body; of it count the fields that a create reads, in whatever order
 * @returns undefined when the header is not sent
 * @throws CatalogError `INVALID_REQUEST` when it is malformed or sent more than once
 */
export function idempotencyKey(values: readonly string[], body: JsonObject): IdempotencyKey | undefined {
  if (values.length === 0) return undefined;
  const [value = ''] = values;
  const [, quoted, bare] = form.exec(value) ?? [];
  const key = quoted ?? bare;
  if (values.length > 1 || key === undefined)
    throw new CatalogError('INVALID_REQUEST', { message: 'Invalid header: Idempotency-Key.' });
  return { key, fingerprint: () => fingerprint(body) };
}

function fingerprint(body: JsonObject): string {
  const sent = fieldNames.filter((field) => Object.hasOwn(body, field)).map((field) => [field, body[field] as Json]);
  return createHash('sha256')
    .update(canonical(Object.fromEntries(sent)))
    .digest('hex');
}

/** JSON with the keys of objects in order. Only for bodies that were validated, and so are not deep. */
function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)}}`;
}
