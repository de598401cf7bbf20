import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepts } from '../../../lib/item/accepts.ts';
import { limits } from '../../../lib/item/limits.ts';
import { anyText } from '../../support/arbitraries.ts';

const { max } = limits.identifier;
const reason = `must be null or a text of at most ${max} characters without control or invisible characters`;

describe.each(['sku', 'pn'] as const)('%s', (field) => {
  const read = (sent: unknown) => accepts[field].safeParse(sent);
  const reasonOf = (sent: unknown) => read(sent).error?.issues[0]?.message;

  it.each([null, '', ' ', '\t\n', '\u00a0\u2003'])('treats %j as no identifier (spec 4.2 rule 3)', (sent) => {
    expect(read(sent)).toEqual({ success: true, data: null });
  });

  it.each([
    ['A-1', 'A-1'],
    ['a-1', 'a-1'],
    ['0', '0'],
    ['null', 'null'],
    ['  A 1\t', 'A 1'],
    ['e\u0301', 'é'],
    ['\u212b', 'Å'],
    ['#', '#'],
    ['X#PN#Y', 'X#PN#Y'],
    ['constructor', 'constructor'],
  ])('stores %j as %j: trimmed, in NFC, with its case unchanged', (sent, kept) => {
    expect(read(sent)).toEqual({ success: true, data: kept });
  });

  it('has at most the permitted number of characters, counted in its stored form (spec 8)', () => {
    for (const sent of ['x'.repeat(max), '😀'.repeat(max), 'é'.repeat(max)])
      for (const form of [sent, `  ${sent}  `, sent.normalize('NFD')])
        expect(read(form)).toEqual({ success: true, data: sent });
    for (const sent of ['x'.repeat(max + 1), '😀'.repeat(max + 1), 'é'.repeat(max + 1), 'e\u0301'.repeat(max + 1)])
      expect(reasonOf(sent)).toBe(reason);
  });

  it('accepts the longest spelling of the most characters, with four code points each', () => {
    const sent = '\u1f82'.repeat(max);
    expect(sent.normalize('NFD')).toHaveLength(4 * max);
    expect(read(sent.normalize('NFD'))).toEqual({ success: true, data: sent });
  });

  it.each(
    [1, 0, true, [], ['A'], {}, 'a\0b', 'a\nb', '\u001b[0m', 'a\u007fb', 'a\u0085b', '\ud800', 'a\udc00b'].map(
      (sent) => [sent],
    ),
  )('rejects %j', (sent) => {
    expect(reasonOf(sent)).toBe(reason);
  });

  it.each([
    'A\u200b',
    '\u200bA',
    'A\u200dB',
    '\u202eA',
    'A\u2066B\u2069',
    'A\u00adB',
    'A\u{e0041}',
    '\u200b',
    '\u3164',
  ])('rejects %j, which looks like another identifier or is invisible', (sent) => {
    expect(reasonOf(sent)).toBe(reason);
  });
});

describe('any identifier', () => {
  const read = (sent: string) => accepts.sku.safeParse(sent);
  const anyCode = fc.oneof(anyText, fc.string({ unit: 'grapheme', maxLength: 20 }));

  it('is the same composed, decomposed, and with surrounding white space', () => {
    fc.assert(
      fc.property(anyCode, fc.constantFrom('', ' ', '\t', '\u3000'), (text, blanks) => {
        const { success, data } = read(text);
        for (const spelling of [text.normalize('NFC'), text.normalize('NFD'), blanks + text + blanks])
          expect(read(spelling)).toMatchObject(success ? { success, data } : { success });
      }),
    );
  });

  it('has a stored form that is not changed again', () => {
    fc.assert(
      fc.property(anyCode, (text) => {
        const { success, data } = read(text);
        if (!success || data === null) return;
        expect(read(data)).toEqual({ success: true, data });
        expect(data).toBe(data.trim().normalize('NFC'));
        expect([...data].length).toBeGreaterThan(0);
      }),
    );
  });

  it('is rejected for too many combining marks, in any order', () => {
    expect(read(`a${'\u0301'.repeat(30_000)}${'\u0323'.repeat(30_000)}`).error?.issues[0]?.message).toBe(reason);
  });
});
