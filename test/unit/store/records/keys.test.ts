import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierNames } from '../../../../lib/item/fields.ts';
import { listedName } from '../../../../lib/item/listedName.ts';
import { keyAttributes } from '../../../../lib/store/database/record.ts';
import { keys, listKey } from '../../../../lib/store/records/keys.ts';
import { anyText } from '../../../support/items/arbitraries.ts';

describe('the keys', () => {
  it('have exactly these values', () => {
    expect(keyAttributes).toEqual({ partition: 'pk', sort: 'sk', expiry: 'expires_at' });
    expect(identifierNames).toEqual(['sku', 'pn']);
    expect([
      keys.account('acme'),
      keys.category('acme', 3),
      keys.unit('acme', 'm2'),
      keys.item('acme', 7),
      keys.item('acme', Number.MAX_SAFE_INTEGER),
      keys.guard('acme', 'sku', 'A-1'),
      keys.guard('acme', 'pn', 'X#PN#Y'),
      keys.counter('acme'),
      keys.idempotency('acme', 'ba78'),
      keys.token('ba78'),
      keys.tokenEntry('acme', 'ba78'),
    ]).toEqual([
      { pk: 'ACCOUNT#acme', sk: 'ACCOUNT' },
      { pk: 'ACCOUNT#acme', sk: 'CATEGORY#3' },
      { pk: 'ACCOUNT#acme', sk: 'UNIT#m2' },
      { pk: 'ACCOUNT#acme#ITEMS', sk: 'ITEM#0000000000000007' },
      { pk: 'ACCOUNT#acme#ITEMS', sk: 'ITEM#9007199254740991' },
      { pk: 'ACCOUNT#acme#SKU#A-1', sk: 'GUARD' },
      { pk: 'ACCOUNT#acme#PN#X#PN#Y', sk: 'GUARD' },
      { pk: 'ACCOUNT#acme#COUNTER', sk: 'ITEM' },
      { pk: 'ACCOUNT#acme#IDEMPOTENCY#ba78', sk: 'REQUEST' },
      { pk: 'TOKEN#ba78', sk: 'TOKEN' },
      { pk: 'TOKENS#acme', sk: 'TOKEN#ba78' },
    ]);
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
