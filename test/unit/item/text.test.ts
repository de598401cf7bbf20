import { describe, expect, it } from 'vitest';
import { codePoints, hasControlCharacters } from '../../../lib/item/text.ts';

describe('the length of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['👨‍👩‍👧', 5],
    ['\ud800', 1],
  ])('of %j is %i code points', (text, length) => {
    expect(codePoints(text)).toBe(length);
  });
});

describe('control characters', () => {
  it.each(['\0', 'a\tb', 'a\nb', 'a\rb', '\u001b[0m', '\u001f', '\u007f', '\u0080', '\u009f'])('are in %j', (text) => {
    expect(hasControlCharacters(text)).toBe(true);
  });

  it.each(['', ' ', 'a b', '\u00a0', 'é', '😀', '\u2028', '\u200d'])('are not in %j', (text) => {
    expect(hasControlCharacters(text)).toBe(false);
  });
});
