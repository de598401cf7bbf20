import type { IdentifierName } from '../../item/fields.ts';
import { identifierNames } from '../../item/fields.ts';
import type { Key, StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';

/** The kind of a record and its ids, as encoded in its key. */
export type RecordKind =
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'closure'; readonly account: string }
  | { readonly kind: 'category'; readonly account: string; readonly id: number }
  | { readonly kind: 'unit'; readonly account: string; readonly code: string }
  | { readonly kind: 'item'; readonly account: string; readonly id: number }
  | { readonly kind: 'guard'; readonly account: string; readonly name: IdentifierName; readonly text: string }
  | { readonly kind: 'counter'; readonly account: string }
  | { readonly kind: 'idempotency'; readonly account: string; readonly sha256: string }
  | { readonly kind: 'token'; readonly sha256: string }
  | { readonly kind: 'token entry'; readonly account: string; readonly id: string };

/** The key of a stored record. */
export const keyIn = ({ pk, sk }: StoredRecord): Key => ({ pk: String(pk), sk: String(sk) });

export const isSameKey = (one: Key, other: Key): boolean => one.pk === other.pk && one.sk === other.sk;

/**
 * The inverse of `keys`. Splits a key at its separators, and accepts only an interpretation that produces exactly the
 * same key again.
 * @returns undefined if no record of this service has such a key
 */
export function parseKey(key: Key): RecordKind | undefined {
  const [, account = '', , ...rest] = key.pk.split('#');
  const last = key.sk.slice(key.sk.indexOf('#') + 1);
  const text = rest.join('#');
  const item = Number(key.sk.slice(-itemDigits));
  const readings: (readonly [Key, RecordKind])[] = [
    [keys.item(account, item), { kind: 'item', account, id: item }],
    ...identifierNames.map(
      (name) => [keys.guard(account, name, text), { kind: 'guard', account, name, text }] as const,
    ),
    [keys.idempotency(account, text), { kind: 'idempotency', account, sha256: text }],
    [keys.token(account), { kind: 'token', sha256: account }],
    [keys.tokenEntry(account, last), { kind: 'token entry', account, id: last }],
    [keys.counter(account), { kind: 'counter', account }],
    [keys.account(account), { kind: 'account', account }],
    [keys.closure(account), { kind: 'closure', account }],
    [keys.category(account, Number(last)), { kind: 'category', account, id: Number(last) }],
    [keys.unit(account, last), { kind: 'unit', account, code: last }],
  ];
  return account === '' ? undefined : readings.find(([reading]) => isSameKey(reading, key))?.[1];
}

/** Number of digits at the end of an item's sort key. */
const itemDigits = keys.item('', 0).sk.replace(/\D/g, '').length;
