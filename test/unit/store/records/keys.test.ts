import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierNames } from '../../../../lib/item/fields.ts';
import { listedName } from '../../../../lib/item/listedName.ts';
import { type Key, keyAttributes } from '../../../../lib/store/database/record.ts';
import { configurationPartition, keys, listKey, nameIndex } from '../../../../lib/store/records/keys.ts';
import { anyText } from '../../../support/items/arbitraries.ts';

const text = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

/** Account ids, some with prefixes of others or of key parts. */
const account = fc.oneof(
  fc.constantFrom('a', 'a-1', 'a-1-sku', 'sku', 'pn', 'items', 'counter', 'account', 'guard'),
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/),
);
/** Identifiers made of key parts, and any others. */
const code = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '#',
        'SKU',
        'PN',
        '#SKU#',
        '#PN#',
        'ACCOUNT#',
        'ACCOUNT#a#SKU#',
        'ITEMS',
        'COUNTER',
        'GUARD',
        'a',
        ' ',
        '1',
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join('')),
  anyText.filter((any) => any !== ''),
);

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

  it('put an account’s configuration into the partition that one query loads', () => {
    for (const { pk } of [keys.account('acme'), keys.category('acme', 3), keys.unit('acme', 'm2')])
      expect(pk).toBe(configurationPartition('acme'));
  });

  it('sort items by id', () => {
    const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(id, id, (one, other) => {
        const [first, second] = [keys.item('acme', one).sk, keys.item('acme', other).sk];
        expect(first < second).toBe(one < other);
      }),
    );
  });
});

describe('the key of an item in the index', () => {
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  /** Names as the API accepts them: without control characters. */
  const name = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, ''));

  it('is in the partition of its account, and uses attributes of its own', () => {
    expect(nameIndex).toEqual({
      name: 'by_name',
      partition: 'list_pk',
      sort: 'list_sk',
      fields: ['active', 'category', 'type'],
    });
    expect(listKey('acme', 7, 'chair')).toEqual({
      list_pk: 'ACCOUNT#acme#NAMES',
      list_sk: 'chair\t0000000000000007',
    });
  });

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

describe('the guard of an identifier', () => {
  const guarded = fc.tuple(account, fc.constantFrom(...identifierNames), code);

  it('is different for any other account, kind or identifier', () => {
    fc.assert(
      fc.property(guarded, guarded, (one, other) => {
        const isSame = one.every((part, index) => part === other[index]);
        expect(text(keys.guard(...one)) === text(keys.guard(...other))).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is different for another account or kind with the same identifier, even one that imitates the difference', () => {
    fc.assert(
      fc.property(account, account, code, (one, other, spelled) => {
        const codes = [spelled, `#${spelled}`, `PN#${spelled}`, `#PN#${spelled}`, `${other}#SKU#${spelled}`];
        const all = [...new Set([one, other])].flatMap((id) =>
          identifierNames.flatMap((name) => [...new Set(codes)].map((each) => text(keys.guard(id, name, each)))),
        );
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('shares no partition with another kind of record', () => {
    fc.assert(
      fc.property(guarded, account, ([id, name, spelled], other) => {
        const { pk } = keys.guard(id, name, spelled);
        const others = [
          keys.account(other),
          keys.item(other, 1),
          keys.counter(other),
          keys.idempotency(other, spelled),
          keys.token(spelled),
          keys.tokenEntry(other, spelled),
        ];
        expect(others.map((key) => key.pk)).not.toContain(pk);
      }),
    );
  });
});
