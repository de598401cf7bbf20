import { keys, listKey } from '../../../lib/store/records/keys.ts';
import { count, counter, gone, guard, item, put } from '../table/storedRecords.ts';
import { accountRecord, codeFinding, type Damage, ids, without } from './damageRecords.ts';

/** Damage that is repaired, so that every record is as before. */
export const repairableDamages: Damage[] = [
  {
    name: 'an item without both of its guards',
    writes: (account) => [gone(keys.guard(account, 'sku', 'S2')), gone(keys.guard(account, 'pn', 'P2'))],
    found: [codeFinding('guard missing', 'sku', 'S2', null, [2]), codeFinding('guard missing', 'pn', 'P2', null, [2])],
  },
  {
    name: 'a guard whose item does not exist',
    writes: (account) => [put(guard(account, 'pn', 'lost # 1', 1_999_999))],
    found: [codeFinding('guard orphaned', 'pn', 'lost # 1', 1_999_999, [])],
  },
  {
    name: 'a guard whose item has another code, and one whose item has none',
    writes: (account) => [put(guard(account, 'sku', 'S1x', 1)), put(guard(account, 'sku', '', 10))],
    found: [codeFinding('guard orphaned', 'sku', 'S1x', 1, []), codeFinding('guard orphaned', 'sku', '', 10, [])],
  },
  {
    name: "a code whose guard names another item, and one whose guard's item does not exist",
    writes: (account) => [put(guard(account, 'sku', 'S3', 4)), put(guard(account, 'pn', 'P5', 1_999_999))],
    found: [
      codeFinding('guard mismatched', 'sku', 'S3', 4, [3]),
      codeFinding('guard mismatched', 'pn', 'P5', 1_999_999, [5]),
    ],
  },
  {
    name: 'guards that were exchanged',
    writes: (account) => [put(guard(account, 'sku', 'S6', 7)), put(guard(account, 'sku', 'S7', 6))],
    found: [codeFinding('guard mismatched', 'sku', 'S6', 7, [6]), codeFinding('guard mismatched', 'sku', 'S7', 6, [7])],
  },
  {
    name: 'ids above the counter',
    writes: (account) => [put(counter(account, 12))],
    found: [{ kind: 'id above counter', highest: count, last: 12 }],
  },
  {
    name: 'a counter that is missing',
    writes: (account) => [gone(keys.counter(account))],
    found: [{ kind: 'id above counter', highest: count, last: null }],
  },
  {
    name: 'items that are not listed, or under another name, account or id',
    writes: (account) => [
      put(without(without(item(account, 1), 'list_pk'), 'list_sk')),
      put(without(item(account, 2), 'list_sk')),
      put({ ...item(account, 3), ...listKey(account, 3, 'other') }),
      put({ ...item(account, 4), ...listKey('other', 4, 'chair') }),
      put({ ...item(account, 5), ...listKey(account, 6, 'chair') }),
      put({ ...item(account, 6), list_sk: 'chair' }),
    ],
    found: ids(1, 6).map((id) => ({ kind: 'item not listed', id, name: 'Chair', revision: 1 })),
  },
  {
    name: 'a category above the last',
    writes: (account) => [put({ ...accountRecord(account), last_category: 1 })],
    found: [{ kind: 'category above last', highest: 2, last: 1 }],
  },
  {
    name: 'an account without its last category',
    writes: (account) => [put(without(accountRecord(account), 'last_category'))],
    found: [{ kind: 'category above last', highest: 2, last: null }],
  },
];
