import { identifierNames } from '../../item/fields.ts';
import type { Key, StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';

export const keyIn = ({ pk, sk }: StoredRecord): Key => ({ pk: String(pk), sk: String(sk) });

export const isSameKey = (one: Key, other: Key): boolean => one.pk === other.pk && one.sk === other.sk;

/** All kinds of records, with the ids that a key encodes if it is of this kind, and the key that such a record has. */
function readings({ pk, sk }: Key) {
  const [, account = '', , ...rest] = pk.split('#');
  const last = sk.slice(sk.indexOf('#') + 1);
  const text = rest.join('#');
  const item = Number(sk.slice(-itemDigits));
  return [
    [{ kind: 'item', account, id: item }, keys.item(account, item)],
    ...identifierNames.map(
      (name) => [{ kind: 'guard', account, name, text }, keys.guard(account, name, text)] as const,
    ),
    [{ kind: 'idempotency', account, sha256: text }, keys.idempotency(account, text)],
    [{ kind: 'token', sha256: account }, keys.token(account)],
    [{ kind: 'token entry', account, id: last }, keys.tokenEntry(account, last)],
    [{ kind: 'counter', account }, keys.counter(account)],
    [{ kind: 'account', account }, keys.account(account)],
    [{ kind: 'closure', account }, keys.closure(account)],
    [{ kind: 'category', account, id: Number(last) }, keys.category(account, Number(last))],
    [{ kind: 'unit', account, code: last }, keys.unit(account, last)],
  ] as const;
}

/** The kind of a record and its ids, as encoded in its key. */
export type RecordKind = ReturnType<typeof readings>[number][0];

/** The inverse of `keys`. @returns undefined if no record of this service has such a key */
export const parseKey = (key: Key): RecordKind | undefined =>
  /^[^#]*#[^#]/.test(key.pk) ? readings(key).find(([, itsKey]) => isSameKey(itsKey, key))?.[0] : undefined;

const itemDigits = keys.item('', 0).sk.replace(/\D/g, '').length;
