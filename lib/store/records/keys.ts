/**
 * The only place that builds record keys. Caller input is only ever the last component of a key, so no identifier can
 * reach another account or namespace, whatever characters it has. Account ids cannot contain `#` (see
 * lib/access/accountId.ts).
 */

import { filterFields, type IdentifierName, identifierNames } from '../../item/fields.ts';
import type { Key, StoredRecord } from '../database/record.ts';

/** Lists an account's items by name. Only items have its keys. `fields` are projected, to filter lists by. */
export const nameIndex = {
  name: 'by_name',
  partition: 'list_pk',
  sort: 'list_sk',
  fields: filterFields,
} as const;

/** Sort-key prefixes of an account's configuration. */
export const configurationSort = { account: 'ACCOUNT', category: 'CATEGORY#', unit: 'UNIT#' } as const;

/** The beginning of the partition keys of all records of an account except its token list. */
const account = (id: string): string => `ACCOUNT#${id}`;

/** The partition that lists an account's tokens, for operators. No function may read it. */
export const tokenListPartition = (id: string): string => `TOKENS#${id}`;

/** The partition of an account's configuration, which one query loads. */
export const configurationPartition = account;

/** The partition of an account's items, sorted by id. */
export const itemPartition = (id: string): string => `${account(id)}#ITEMS`;

/** Pads an item id, so that ids sort numerically as text. */
const digits = (item: number): string => String(item).padStart(16, '0');

/** The sort keys of items begin with this. */
export const itemPrefix = 'ITEM#';

export const keys = {
  account: (id: string): Key => ({ pk: account(id), sk: configurationSort.account }),
  /** The record that an account has while it is being deleted. */
  closure: (id: string): Key => ({ pk: account(id), sk: 'CLOSED' }),
  category: (id: string, category: number): Key => ({
    pk: account(id),
    sk: `${configurationSort.category}${category}`,
  }),
  unit: (id: string, unit: string): Key => ({ pk: account(id), sk: `${configurationSort.unit}${unit}` }),
  item: (id: string, item: number): Key => ({ pk: itemPartition(id), sk: `${itemPrefix}${digits(item)}` }),
  /** Each identifier is unique in its own namespace. */
  guard: (id: string, name: IdentifierName, identifier: string): Key => ({
    pk: `${account(id)}#${name.toUpperCase()}#${identifier}`,
    sk: 'GUARD',
  }),
  counter: (id: string): Key => ({ pk: `${account(id)}#COUNTER`, sk: 'ITEM' }),
  idempotency: (id: string, sha256: string): Key => ({ pk: `${account(id)}#IDEMPOTENCY#${sha256}`, sk: 'REQUEST' }),
  token: (sha256: string): Key => ({ pk: `TOKEN#${sha256}`, sk: 'TOKEN' }),
  /** Lists a token under its account. */
  tokenEntry: (id: string, token: string): Key => ({ pk: tokenListPartition(id), sk: `TOKEN#${token}` }),
} as const;

/** The name of the table of changes that belongs to a table. */
export const changesTable = (table: string): string => `${table}-changes`;

/** The partition of an account's changes, in the table of changes. */
export const changesPartition = (id: string): string => `${account(id)}#CHANGES`;

/** The number of digits of a place among the changes of an item. */
const placeLength = 40;

/** No sequence number of a stream record is higher. */
export const lastSequence = '9'.repeat(placeLength);

/** Keys in the table of changes. Each change is there twice: by its number, and by its item and its stream record. */
export const changeKeys = {
  change: (id: string, number: number): Key => ({ pk: changesPartition(id), sk: digits(number) }),
  /** @param sequence the sequence number of the stream record */
  ofItem: (id: string, item: number, sequence: string): Key => ({
    pk: changesPartition(id),
    sk: `${itemPrefix}${digits(item)}#${sequence.padStart(placeLength, '0')}`,
  }),
  counter: (id: string): Key => ({ pk: changesPartition(id), sk: 'COUNTER' }),
} as const;

/** The sequence number in a key that {@link changeKeys} has made for a change of an item. */
export const sequenceIn = ({ sk }: Key): string => sk.slice(-placeLength);

/** The index partition of an account's items. */
export const listPartition = (id: string): string => `${account(id)}#NAMES`;

/** Tab sorts before every character of a name, which has no control characters: "Desk" comes before "Desk lamp". */
export const listKey = (id: string, item: number, listedName: string) => ({
  list_pk: listPartition(id),
  list_sk: `${listedName}\t${digits(item)}`,
});

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
