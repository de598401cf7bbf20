import { describe, expect, it } from 'vitest';
import { codePoints, hasControlCharacters, hasFormatCharacters, hasVisibleCharacters } from '../../../lib/item/text.ts';

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

describe('format characters', () => {
  it.each(['\u200b', 'a\u200bb', 'a\u200d', '\u202ea', '\u2066a\u2069', '\u00ad', '\ufeff', 'a\u{e0041}'])(
    'are in %j',
    (text) => {
      expect(hasFormatCharacters(text)).toBe(true);
    },
  );

  it.each(['', ' ', 'a b', '\u00a0', 'é', 'e\u0301', '😀', '✂️', '\n'])('are not in %j', (text) => {
    expect(hasFormatCharacters(text)).toBe(false);
  });
});

describe('visible characters', () => {
  it.each(['a', ' a ', '\u200ba', '0', '.', 'é', '日本', '😀', '✂️', '👨\u200d👩\u200d👧', 'می\u200cخواهم'])(
    'are in %j',
    (text) => {
      expect(hasVisibleCharacters(text)).toBe(true);
    },
  );

  it.each([
    ['nothing', ''],
    ['white space', ' \t\n\u00a0\u2003\u3000\u2028'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['bidirectional controls', '\u202a\u202e\u2066\u2069\u061c'],
    ['a soft hyphen and tags', '\u00ad\u{e0041}\u{e007f}'],
    ['fillers and a joiner', '\u115f\u1160\u3164\uffa0\u034f'],
    ['variation selectors', '\ufe0f\u{e0100}'],
    ['the blank of Braille', '\u2800'],
    ['all of them', ' \u200b\u3164\u202e\ufe0f '],
  ])('are not in %s', (_, text) => {
    expect(hasVisibleCharacters(text)).toBe(false);
  });
});
