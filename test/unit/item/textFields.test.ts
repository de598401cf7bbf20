import { describe, expect, it } from 'vitest';
import { accepts } from '../../../lib/item/accepts.ts';
import { limits } from '../../../lib/item/limits.ts';

const reasons = {
  name: `must be a text of ${limits.name.min} to ${limits.name.max} characters, at least one of them visible, and without control characters`,
  unit: `must be a registered unit of at most ${limits.unit.max} characters`,
  description: `must be null or a text of at most ${limits.description.max} characters`,
  tag: `must be null or a text of at most ${limits.tag.max} characters`,
} as const;

const read = (field: keyof typeof reasons, sent: unknown) => accepts[field].safeParse(sent);
const reasonOf = (field: keyof typeof reasons, sent: unknown) => read(field, sent).error?.issues[0]?.message;

describe.each(Object.keys(reasons) as (keyof typeof reasons)[])('%s', (field) => {
  it.each([1, 0, true, [], ['a'], {}].map((sent) => [sent]))('rejects %j, which is not a string', (sent) => {
    expect(reasonOf(field, sent)).toBe(reasons[field]);
  });

  it.each(['\ud800', 'a\udc00', '\udc00\ud800'])('rejects %j, which is not well-formed Unicode', (sent) => {
    expect(reasonOf(field, sent)).toBe(reasons[field]);
  });
});

describe('the lengths of texts, in code points (spec 8)', () => {
  it.each([
    ['name', limits.name.min, limits.name.max],
    ['unit', 0, limits.unit.max],
    ['description', 0, limits.description.max],
    ['tag', 0, limits.tag.max],
  ] as const)('%s has %i to %i characters', (field, min, max) => {
    for (const character of ['x', 'é', '😀'])
      for (const length of [min, max]) {
        const sent = character.repeat(length);
        expect(read(field, sent)).toEqual({ success: true, data: sent });
      }
    expect(reasonOf(field, 'x'.repeat(max + 1))).toBe(reasons[field]);
    expect(reasonOf(field, '😀'.repeat(max + 1))).toBe(reasons[field]);
  });
});

describe('name', () => {
  it('is not null (spec 4.2 rule 4)', () => {
    expect(reasonOf('name', null)).toBe(reasons.name);
  });

  it.each(['', ' ', '\u00a0\u2003', '   \ufeff', '\u200b', ' \u200d\u3164 ', '\u202e'])(
    'rejects %j, which has no visible character',
    (sent) => {
      expect(reasonOf('name', sent)).toBe(reasons.name);
    },
  );

  it.each(['\0', 'a\0b', '\u001b[0m', 'a\nb', 'a\tb', 'a\u007f', '\u0085a'])(
    'rejects %j, a control character',
    (sent) => {
      expect(reasonOf('name', sent)).toBe(reasons.name);
    },
  );

  it.each(['0', 'null', ' a ', '<script>', 'e\u0301', '日本', "'; --", '👨\u200d👩\u200d👧', 'می\u200cخواهم'])(
    'stores %j exactly',
    (sent) => {
      expect(read('name', sent)).toEqual({ success: true, data: sent });
    },
  );
});

describe('unit', () => {
  it('is not null (spec 4.2 rule 4)', () => {
    expect(reasonOf('unit', null)).toBe(reasons.unit);
  });
});

describe.each(['description', 'tag'] as const)('%s', (field) => {
  it.each([null, '', ' ', '<script>alert(1)</script>', 'a\r\nb', '\0', 'a;b,c'])('stores %j exactly', (sent) => {
    expect(read(field, sent)).toEqual({ success: true, data: sent });
  });
});
