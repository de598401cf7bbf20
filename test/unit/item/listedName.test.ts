import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../lib/item/limits.ts';
import { beginsWith, fold, listedName } from '../../../lib/item/listedName.ts';
import { anyText } from '../../support/arbitraries.ts';

describe('a folded text', () => {
  it.each([
    ['Chaise Longue', 'chaise longue'],
    ['ÉCLAIR', 'eclair'],
    ['e\u0301clair', 'eclair'],
    ['Ångström', 'angstrom'],
    ['Żółw', 'zołw'],
    ['ﬁne', 'fine'],
    ['Ⅳ', 'iv'],
    ['ＡＢＣ', 'abc'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδός', 'οδοσ'],
    ['İstanbul', 'istanbul'],
    ['한국', '\u1112\u1161\u11ab\u1100\u116e\u11a8'],
    ['日本', '日本'],
    ['👍🏽 Desk', '👍🏽 desk'],
    ['\u0301', ''],
  ])('of %j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('starts with the folded prefix of the text', () => {
    fc.assert(fc.property(anyText, anyText, (one, other) => fold(one + other) === fold(one) + fold(other)));
  });

  it('does not change when folded again', () => {
    fc.assert(fc.property(anyText, (text) => fold(fold(text)) === fold(text)));
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
  ['Chair', '', true],
  ['Chair', 'hair', false],
  ['Chair', 'Chairs', false],
  ['\ufdfa'.repeat(150), '\ufdfa'.repeat(149), true],
  ['\ufdfa'.repeat(150), `${'\ufdfa'.repeat(149)}x`, false],
])('beginsWith(%j, %j) is %j', (name, text, expected) => {
  expect(beginsWith(name, text)).toBe(expected);
});
