import type { JsonObject } from '../../lib/item/json.ts';
import { create } from '../support/apiRequests.ts';
import type { Refusal } from '../support/refusals.ts';
import type { RefusedCase } from './refusedCase.ts';

const malformed: Refusal = { status: 400, code: 'INVALID_REQUEST', message: 'Invalid header: Idempotency-Key.' };
const reused: Refusal = { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' };

/** Values of `Idempotency-Key`; what is no ISO 8859-1, and most control characters, no client can send. */
const keys: readonly [string, string | readonly string[]][] = [
  ['an empty key', ''],
  ['a blank key', ' \t '],
  ['nothing within quotes', '""'],
  ['a key of 256 characters', 'x'.repeat(256)],
  ['a key of 256 characters within quotes', `"${'x'.repeat(256)}"`],
  ['a blank in the key', 'a b'],
  ['a blank in the key within quotes', '"a b"'],
  ['a tab in the key', 'a\tb'],
  ['a letter that is not ASCII', 'é'],
  ['a letter that is not ASCII within quotes', '"é"'],
  ['a control character that is not ASCII', 'a\u0085'],
  ['a key in UTF-8', Buffer.from('🪑').toString('latin1')],
  ['quotes that are not closed', '"a'],
  ['quotes within quotes', '"a"b"'],
  ['the same key twice', ['a', 'a']],
  ['two keys', ['a', 'b']],
  ['a good and an empty key', ['a', '']],
  ['an empty and a good key', ['', 'a']],
];

/** Bodies that are another than `{"name":"Chair"}`, though they would create the same. */
const otherBodies: readonly [string, JsonObject][] = [
  ['another value', { name: 'Table' }],
  ['a field more', { name: 'Chair', value: 0 }],
  ['a field that is null', { name: 'Chair', tag: null }],
  ['no custom fields', { name: 'Chair', metadata: {} }],
];

/** Keys that create nothing. */
export const refusedKeys: readonly RefusedCase[] = [
  ...keys.map(([title, value]) => ({
    ...malformed,
    title,
    request: () => create({ name: 'Chair' }, { 'idempotency-key': value }),
  })),
  ...otherBodies.map(([title, body]) => ({
    ...reused,
    title: `a used key with ${title}`,
    request: ({ key }: { key: string }) => create(body, { 'idempotency-key': key }),
  })),
  {
    ...reused,
    title: 'a used key within quotes with another value',
    request: ({ key }) => create({ name: 'Table' }, { 'idempotency-key': `"${key}"` }),
  },
];
