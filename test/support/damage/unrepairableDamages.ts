import { permissions } from '../../../lib/access/caller.ts';
import { newCategoryRecord } from '../../../lib/store/records/accountRecord.ts';
import { keys, tokenListPartition } from '../../../lib/store/records/keys.ts';
import { count, counter, gone, guard, item, put } from '../table/storedRecords.ts';
import { codeFinding, type Damage, second, tokenPair, unreadable, without } from './damageRecords.ts';

export const unrepairableDamages: Damage[] = [
  {
    name: 'a code that two items have, of which one is named by the guard',
    writes: (account) => [put(item(account, 8, { sku: 'S9' })), gone(keys.guard(account, 'sku', 'S8'))],
    found: [codeFinding('duplicate identifier', 'sku', 'S9', 9, [8, 9])],
  },
  {
    name: 'a code that two items have without guard',
    writes: (account) => [
      put(item(account, 8, { pn: 'P9' })),
      gone(keys.guard(account, 'pn', 'P8')),
      gone(keys.guard(account, 'pn', 'P9')),
    ],
    found: [codeFinding('duplicate identifier', 'pn', 'P9', null, [8, 9])],
  },
  {
    name: 'a code that three items have, while the guard names a fourth',
    writes: (account) => [
      put(item(account, 10, { sku: 'S9' })),
      put(item(account, 20, { sku: 'S9' })),
      put(guard(account, 'sku', 'S9', 30)),
    ],
    found: [codeFinding('duplicate identifier', 'sku', 'S9', 30, [9, 10, 20])],
  },
  {
    name: 'an id that no counter has given out',
    writes: (account) => [put(item(account, 9_007_199_254_740_980))],
    found: [{ kind: 'id above counter', highest: 9_007_199_254_740_980, last: count }],
  },
  {
    name: 'a category id that would end the creation of categories',
    writes: (account) => [put(newCategoryRecord(account, 2 ** 52, 'Last'))],
    found: [{ kind: 'category above last', highest: 2 ** 52, last: 2 }],
  },
  {
    name: 'a guard that names another item, which cannot be read',
    writes: (account) => [put(item(account, 4, { metadata: 'none' })), put(guard(account, 'sku', 'S3', 4))],
    found: [
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute metadata' },
      codeFinding('guard mismatched', 'sku', 'S3', 4, [3]),
    ],
  },
  {
    name: 'an item that cannot be read, and has no guard',
    writes: (account) => [put(item(account, 1, { metadata: 'none' })), gone(keys.guard(account, 'sku', 'S1'))],
    found: [
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute metadata' },
      codeFinding('guard missing', 'sku', 'S1', null, [1]),
    ],
  },
  {
    name: 'items with attributes that are missing or of a wrong type, one of which has no next revision either',
    writes: (account) => [
      put({ ...item(account, 1), tag: new Set(['a']) }),
      put(without(item(account, 2), 'unit')),
      put({ ...item(account, 3), category: '9' }),
      put({ ...item(account, 4), description: 4, revision: 2 ** 53 }),
    ],
    found: unreadable('tag', 'unit', 'category', 'description'),
  },
  {
    name: "an item under another item's key",
    writes: (account) => [put({ ...item(account, 1), id: 2 })],
    found: [{ kind: 'unreadable record', problem: 'belongs under another key' }],
  },
  {
    name: 'a guard that names no item',
    writes: (account) => [put({ ...guard(account, 'sku', 'S1', 1), item_id: '1' })],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute item_id' }],
  },
  {
    name: 'a counter that is no number',
    writes: (account) => [put({ ...counter(account, 0), last: '12' })],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute last' }],
  },
  {
    name: 'records of an unknown kind',
    writes: (account) => [
      put({ pk: `ACCOUNT#${account}#ITEMS`, sk: 'ITEM#7' }),
      put({ pk: `ACCOUNT#${account}#EAN#1`, sk: 'GUARD' }),
      put({ pk: `ACCOUNT#${account}#ITEMS#1`, sk: 'GUARD' }),
    ],
    found: Array(3).fill({ kind: 'unreadable record', problem: 'has a key that no kind of record has' }),
  },
  {
    name: 'a broken configuration',
    writes: (account) => [
      put({ ...keys.category(account, 2), ...{ id: 3, name: 'Furniture', archived: false } }),
      put({ ...keys.unit(account, 'kg'), ...{ code: 'kg' } }),
      put(keys.account(account)),
    ],
    found: [
      { kind: 'unreadable record', problem: 'belongs under another key' },
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute decimals' },
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute default_tax' },
    ],
  },
  {
    name: 'an idempotency record without its item',
    writes: (account) => [
      put({
        ...keys.idempotency(account, 'f00'),
        ...{ fingerprint: 'a', item: {}, expires_at: second + 60 },
      }),
    ],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute name' }],
  },
  {
    name: 'tokens that permit more than their entries, also what only a later version knows',
    writes: (account) => [
      ...tokenPair(account, { permissions: ['catalog:cost:read', 'catalog:edit'] }),
      ...tokenPair(account, { permissions: ['catalog:edit', 'catalog:price:edit'] }),
    ],
    found: Array(2).fill({ kind: 'token exceeds entry', excess: ['permissions'] }),
  },
  {
    name: 'a token for another user than its entry, and with more of everything',
    writes: (account) => [
      ...tokenPair(account, { user: 'mallory' }),
      ...tokenPair(account, { user: 'eve', permissions: [...permissions], expires_at: second + 3_601 }),
    ],
    found: [
      { kind: 'token exceeds entry', excess: ['user'] },
      { kind: 'token exceeds entry', excess: ['permissions', 'expiry', 'user'] },
    ],
  },
  {
    name: 'tokens and entries that cannot be read',
    writes: (account) => [
      ...tokenPair(account, { user: 1 }),
      ...tokenPair(account, {}, { user: 1 }),
      ...tokenPair(account, { permissions: ['catalog:edit', 1] }),
    ],
    found: unreadable('user', 'user', 'permissions.1'),
  },
  {
    name: 'a token without its account, and an entry without its hash',
    writes: (account) => [...tokenPair(account, { account: 1 }), ...tokenPair(account, {}, { hash: 1 })],
    found: [...unreadable('account', 'hash'), { kind: 'entry without token' }, { kind: 'token without entry' }],
  },
  {
    name: "an entry in another account's list",
    writes: (account) => tokenPair(account, {}, { pk: tokenListPartition(`${account}-other`) }),
    found: [{ kind: 'token without entry' }, { kind: 'entry without token' }],
  },
  {
    name: 'tokens of an account that is not there',
    writes: (account) => [...tokenPair(account), ...tokenPair(account), gone(keys.account(account))],
    found: Array(2).fill({ kind: 'token without account' }),
  },
];
