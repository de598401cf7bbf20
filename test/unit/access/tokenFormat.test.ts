import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToken, isWellFormedToken, tokenHash } from '../../../lib/access/tokenFormat.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const token = fc.array(fc.nat({ max: alphabet.length - 1 }), { minLength: 30, maxLength: 30 }).map((digits) => {
  const rest = digits.values();
  return createToken(() => rest.next().value ?? 0);
});

describe('a token', () => {
  it('is cat_, 30 random base62 characters, and a 6-character checksum', () => {
    const limits: number[] = [];
    const made = createToken((below) => limits.push(below) - 1);
    expect(limits).toEqual(Array.from({ length: 30 }, () => 62));
    expect(made.slice(0, 34)).toBe(`cat_${alphabet.slice(0, 30)}`);
    expect(made).toMatch(/^cat_[0-9A-Za-z]{36}$/);
  });

  it('keeps the same checksum algorithm forever, because tokens outlive releases', () => {
    expect(createToken(() => 0)).toBe('cat_0000000000000000000000000000002ihAUr');
    expect(createToken(() => 61)).toBe('cat_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz0Ao554');
  });

  it('is stored under the SHA-256 of its text', () => {
    expect(tokenHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('the format of a token', () => {
  it('matches every created token', () => {
    fc.assert(fc.property(token, isWellFormedToken));
    expect(isWellFormedToken(createToken())).toBe(true);
  });

  it('does not match after any change of one character', () => {
    const other = fc.oneof(
      fc.constantFrom(...alphabet, '_', '-', ' ', '\n', 'é'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(token, fc.nat({ max: 39 }), other, (text, index, character) => {
        fc.pre(text[index] !== character);
        expect(isWellFormedToken(text.slice(0, index) + character + text.slice(index + 1))).toBe(false);
      }),
    );
  });

  it('does not match after removing or adding a character', () => {
    fc.assert(
      fc.property(token, fc.nat({ max: 39 }), (text, index) => {
        expect(isWellFormedToken(text.slice(0, index) + text.slice(index + 1))).toBe(false);
        expect(isWellFormedToken(`${text.slice(0, index)}0${text.slice(index)}`)).toBe(false);
        expect(isWellFormedToken(`${text}\n`)).toBe(false);
      }),
    );
  });

  it.each(['', 'cat_', 'cat_0', 'CAT_0000000000000000000000000000002ihAUr', 'Bearer'])('does not match %j', (text) => {
    expect(isWellFormedToken(text)).toBe(false);
  });
});
