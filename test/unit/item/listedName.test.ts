import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../lib/item/limits.ts';
import { beginsWith, fold, listedName } from '../../../lib/item/listedName.ts';
import { anyText } from '../../support/items/arbitraries.ts';

describe('a folded text', () => {
  it.each([
    ['Chaise Longue', 'chaise longue'],
    ['ÉCLAIR', 'eclair'],
    ['e\u0301clair', 'eclair'],
    ['Żółw', 'zołw'],
    ['ﬁne', 'fine'],
    ['ＡＢＣ', 'abc'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδός', 'οδοσ'],
    ['İstanbul', 'istanbul'],
    ['한국', '\u1112\u1161\u11ab\u1100\u116e\u11a8'],
    ['👍🏽 Desk', '👍🏽 desk'],
    ['\u0301', ''],
    ['GROẞE Straße', 'grosse strasse'],
    ['Işık IŞIK', 'isik isik'],
    [' \u200b Oak\u00a0 \u00addesk ', 'oak desk'],
  ])('of %j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  const text = fc.oneof(
    anyText,
    fc.string({ unit: fc.constantFrom(' ', '\u2028', '\u00ad', '\u0301', 'a', 'ß', 'Σ') }),
  );

  it('starts with the folded text of any beginning, even one that ends in a blank', () => {
    fc.assert(fc.property(text, text, (one, other) => fold(one + other).startsWith(fold(one))));
  });

  it('is the same for each character in upper and lower case', () => {
    // The iota subscript is removed like an accent, but is a letter in upper case.
    const isAccent = (character: string) => character.normalize('NFD').includes('\u0345');
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const [upper, lower] = [character.toUpperCase(), character.toLowerCase()];
      if (upper === lower || isAccent(character)) continue;
      expect([fold(upper), fold(lower)]).toEqual([fold(character), fold(character)]);
    }
  });

  it('does not change when folded again', () => {
    fc.assert(fc.property(text, (any) => fold(fold(any)) === fold(any)));
  });
});

describe('the name that an item is listed under', () => {
  const growing = fc.string({ unit: fc.constantFrom('a', 'É', '\ufdfa', '\u3300', '😀'), maxLength: 150 });

  it('is the folded name if that is short enough, as most names of 150 characters are', () => {
    for (const name of ['', 'Chaise Édith', '😀'.repeat(150), '日'.repeat(150)])
      expect(listedName(name)).toBe(fold(name));
  });

  it('is otherwise truncated to the limit, at a character boundary', () => {
    fc.assert(
      fc.property(growing, (name) => {
        const listed = listedName(name);
        expect(fold(name).startsWith(listed)).toBe(true);
        expect(listed.isWellFormed()).toBe(true);
        const [next = ''] = fold(name).slice(listed.length);
        expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(limits.listedName);
        if (next !== '') expect(Buffer.byteLength(listed)).toBeGreaterThan(limits.listedName - 4);
      }),
    );
  });

  it('starts with the listed name of any prefix, so that no search misses it', () => {
    fc.assert(
      fc.property(growing, growing, (beginning, rest) =>
        listedName(beginning + rest).startsWith(listedName(beginning)),
      ),
    );
  });
});

it.each([
  ['Éclair', 'ecl', true],
  ['Eclair', 'ÉCL', true],
  ['Chair', 'hair', false],
  ['Chair', 'Chairs', false],
  ['\ufdfa'.repeat(150), '\ufdfa'.repeat(149), true],
  ['\ufdfa'.repeat(150), `${'\ufdfa'.repeat(149)}x`, false],
])('beginsWith(%j, %j) is %j', (name, text, expected) => {
  expect(beginsWith(name, text)).toBe(expected);
});
