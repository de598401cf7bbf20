/**
 * The keys of every record, and nowhere else. What a caller sends is only ever the last component of a key, so no
 * identifier, however spelled, can reach another account or namespace. Account ids hold no `#` (see lib/access/accountId.ts).
 */

/** The names of the table's key attributes and of the attribute that DynamoDB deletes expired records by. */
export const keyAttributes = { partition: 'pk', sort: 'sk', expiry: 'expires_at' } as const;

/**
 * The index that lists an account's items by name: its name, its key attributes, which only items have, and the fields
 * that a list is filtered by without reading the items.
 */
export const nameIndex = {
  name: 'by_name',
  partition: 'list_pk',
  sort: 'list_sk',
  fields: ['active', 'category', 'type'],
} as const;

export type Key = { readonly pk: string; readonly sk: string };

/** The fields that are unique in an account, each in a namespace of its own. */
export const identifierNames = ['sku', 'pn'] as const;
export type IdentifierName = (typeof identifierNames)[number];

/** Prefix of every token's partition key. */
const tokenPrefix = 'TOKEN#';
/** Prefix of the partition key of every record of an account but the list of its tokens. */
const accountPrefix = 'ACCOUNT#';
/** Prefix of the partition that lists an account's tokens, for operators; no function may read it. */
const tokenListPrefix = 'TOKENS#';

/** Sort-key prefixes of an account's configuration. */
export const configurationSort = { account: 'ACCOUNT', category: 'CATEGORY#', unit: 'UNIT#' } as const;

const account = (id: string): string => `${accountPrefix}${id}`;

/** The partition that lists an account's tokens. */
export const tokenListPartition = (id: string): string => `${tokenListPrefix}${id}`;

/** The partition with an account's configuration: one query loads it. */
export const configurationPartition = account;

/** An item's id in keys, where text is ordered as the ids are. */
const digits = (item: number): string => String(item).padStart(16, '0');

export const keys = {
  account: (id: string): Key => ({ pk: account(id), sk: configurationSort.account }),
  category: (id: string, category: number): Key => ({
    pk: account(id),
    sk: `${configurationSort.category}${category}`,
  }),
  unit: (id: string, unit: string): Key => ({ pk: account(id), sk: `${configurationSort.unit}${unit}` }),
  item: (id: string, item: number): Key => ({ pk: `${account(id)}#ITEMS`, sk: `ITEM#${digits(item)}` }),
  guard: (id: string, name: IdentifierName, identifier: string): Key => ({
    pk: `${account(id)}#${name.toUpperCase()}#${identifier}`,
    sk: 'GUARD',
  }),
  counter: (id: string): Key => ({ pk: `${account(id)}#COUNTER`, sk: 'ITEM' }),
  idempotency: (id: string, sha256: string): Key => ({ pk: `${account(id)}#IDEMPOTENCY#${sha256}`, sk: 'REQUEST' }),
  token: (sha256: string): Key => ({ pk: `${tokenPrefix}${sha256}`, sk: 'TOKEN' }),
  /** Lists a token under its account. */
  tokenEntry: (id: string, token: string): Key => ({ pk: tokenListPartition(id), sk: `TOKEN#${token}` }),
} as const;

/** The partition of the index with an account's items. */
export const listPartition = (id: string): string => `${account(id)}#NAMES`;

/**
 * An item's key in the index. The tab is less than any character of a name, which has no control characters. So items are
 * in the order of their listed names: "Desk" comes before "Desk lamp".
 */
export const listKey = (id: string, item: number, listedName: string) => ({
  list_pk: listPartition(id),
  list_sk: `${listedName}\t${digits(item)}`,
});

/** Partition keys by kind of record, as IAM's patterns: what the functions may read and write is told by these. */
export const keyPatterns = {
  configuration: account('*'),
  items: keys.item('*', 0).pk,
  names: listPartition('*'),
  skuGuards: keys.guard('*', 'sku', '*').pk,
  pnGuards: keys.guard('*', 'pn', '*').pk,
  counter: keys.counter('*').pk,
  idempotency: keys.idempotency('*', '*').pk,
  /** All that requests write. No account id holds a `#`, so this leaves out the configuration, which only operators write. */
  written: `${account('*')}#*`,
  tokens: `${tokenPrefix}*`,
} as const;
