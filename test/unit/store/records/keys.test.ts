import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierNames } from '../../../../lib/item/fields.ts';
import { listedName } from '../../../../lib/item/listedName.ts';
import { type Key, keyAttributes } from '../../../../lib/store/database/record.ts';
import { keys, listKey, parseKey, type RecordKind } from '../../../../lib/store/records/keys.ts';
import { anyText } from '../../../support/items/arbitraries.ts';

const account = 'acme';
const sha256 = 'ba78';
const most = Number.MAX_SAFE_INTEGER;

it('keys have these attributes, and identifiers these names', () => {
  expect(keyAttributes).toEqual({ partition: 'pk', sort: 'sk', expiry: 'expires_at' });
  expect(identifierNames).toEqual(['sku', 'pn']);
});

describe('the key of a record', () => {
  it.each<[pk: string, sk: string, Key, RecordKind]>([
    ['ACCOUNT#acme', 'ACCOUNT', keys.account(account), { kind: 'account', account }],
    ['ACCOUNT#acme', 'CATEGORY#3', keys.category(account, 3), { kind: 'category', account, id: 3 }],
    ['ACCOUNT#acme', 'UNIT#m#2', keys.unit(account, 'm#2'), { kind: 'unit', account, code: 'm#2' }],
    ['ACCOUNT#acme#ITEMS', 'ITEM#0000000000000007', keys.item(account, 7), { kind: 'item', account, id: 7 }],
    ['ACCOUNT#acme#ITEMS', 'ITEM#9007199254740991', keys.item(account, most), { kind: 'item', account, id: most }],
    ['ACCOUNT#acme#SKU#', 'GUARD', keys.guard(account, 'sku', ''), { kind: 'guard', account, name: 'sku', text: '' }],
    [
      'ACCOUNT#acme#PN#X#PN#Y',
      'GUARD',
      keys.guard(account, 'pn', 'X#PN#Y'),
      { kind: 'guard', account, name: 'pn', text: 'X#PN#Y' },
    ],
    ['ACCOUNT#acme#COUNTER', 'ITEM', keys.counter(account), { kind: 'counter', account }],
    [
      'ACCOUNT#acme#IDEMPOTENCY#ba78',
      'REQUEST',
      keys.idempotency(account, sha256),
      { kind: 'idempotency', account, sha256 },
    ],
    ['TOKEN#ba78', 'TOKEN', keys.token(sha256), { kind: 'token', sha256 }],
    ['TOKENS#acme', 'TOKEN#ba78', keys.tokenEntry(account, sha256), { kind: 'token entry', account, id: sha256 }],
  ])('%j, %j is made and read as this kind', (pk, sk, key, kind) => {
    expect(key).toEqual({ pk, sk });
    expect(parseKey({ pk, sk })).toEqual(kind);
  });

  it.each([
    ['', ''],
    ['acme', 'ACCOUNT'],
    ['ACCOUNT#', 'ACCOUNT'],
    ['TOKEN#', 'TOKEN'],
    ['ACCOUNT#acme', 'CATEGORY#03'],
    ['ACCOUNT#acme', 'CATEGORY#x'],
    ['ACCOUNT#acme#ITEMS', 'ITEM#7'],
    ['ACCOUNT#acme#COUNTER#1', 'ITEM'],
    ['ACCOUNT#acme#EAN#1', 'GUARD'],
    ['account#acme', 'ACCOUNT'],
  ])('%j, %j has no kind', (pk, sk) => {
    expect(parseKey({ pk, sk })).toBeUndefined();
  });

  const parts = ['#', 'SKU', 'PN', '#SKU#', '#PN#', 'ACCOUNT#a#SKU#', 'ITEMS', 'COUNTER', 'GUARD', 'a', ' ', '1'];
  const imitating = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((all) => all.join(''));
  const anyAccount = fc.oneof(
    fc.constantFrom('a', 'a-1', 'sku', 'items'),
    fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/),
  );

  it('is a guard of one account and one identifier, whatever these imitate', () => {
    fc.assert(
      fc.property(anyAccount, fc.constantFrom(...identifierNames), fc.oneof(imitating, anyText), (id, name, text) => {
        expect(parseKey(keys.guard(id, name, text))).toEqual({ kind: 'guard', account: id, name, text });
      }),
    );
  });
});

describe('the key of an item in the index', () => {
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  /** Names as the API accepts them: without control characters. */
  const name = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, ''));

  it('sorts items by name, a prefix before the longer names, and items with the same name by id', () => {
    const names = ['desk', 'desk!', 'desk lamp', 'desks', 'desk#1', 'desk\u{1f600}'];
    const place = (item: number, text: string) => Buffer.from(listKey('a', item, listedName(text)).list_sk);
    for (const other of names.slice(1)) expect(Buffer.compare(place(9, 'desk'), place(1, other))).toBe(-1);
    fc.assert(
      fc.property(name, name, id, id, (one, other, first, second) => {
        const byName = Buffer.compare(Buffer.from(listedName(one)), Buffer.from(listedName(other)));
        expect(Buffer.compare(place(first, one), place(second, other))).toBe(byName || Math.sign(first - second));
      }),
    );
  });

  it('is within DynamoDB’s limit for a sort key, for any name', () => {
    for (const character of ['a', '\u{1f600}', '\ufdfa', '\u3300', '\u1e9b\u0323'])
      for (const length of [1, 150]) {
        const { list_sk } = listKey('a', Number.MAX_SAFE_INTEGER, listedName(character.repeat(length)));
        expect(Buffer.byteLength(list_sk)).toBeLessThanOrEqual(1_024);
      }
  });
});
