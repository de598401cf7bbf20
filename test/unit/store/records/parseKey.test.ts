import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierNames } from '../../../../lib/item/fields.ts';
import type { Key } from '../../../../lib/store/database/record.ts';
import { keys, parseKey, type RecordKind } from '../../../../lib/store/records/keys.ts';
import { anyText } from '../../../support/items/arbitraries.ts';

const account = 'acme';
const sha256 = 'ba78';

describe('the key of a record', () => {
  it.each<[Key, RecordKind]>([
    [keys.account(account), { kind: 'account', account }],
    [keys.category(account, 3), { kind: 'category', account, id: 3 }],
    [keys.unit(account, 'm#2'), { kind: 'unit', account, code: 'm#2' }],
    [keys.item(account, 7), { kind: 'item', account, id: 7 }],
    [keys.guard(account, 'sku', ''), { kind: 'guard', account, name: 'sku', text: '' }],
    [keys.guard(account, 'pn', 'X#PN#Y'), { kind: 'guard', account, name: 'pn', text: 'X#PN#Y' }],
    [keys.counter(account), { kind: 'counter', account }],
    [keys.idempotency(account, sha256), { kind: 'idempotency', account, sha256 }],
    [keys.token(sha256), { kind: 'token', sha256 }],
    [keys.tokenEntry(account, sha256), { kind: 'token entry', account, id: sha256 }],
  ])('%j has this kind', (key, kind) => {
    expect(parseKey(key)).toEqual(kind);
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
