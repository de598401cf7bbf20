import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepts } from '../../../lib/item/accepts.ts';
import type { FieldName } from '../../../lib/item/fields.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { parseBody } from '../../../lib/item/readBody.ts';
import type { Violation } from '../../../lib/item/violation.ts';
import { anyText } from '../../support/items/arbitraries.ts';

const { identifier, name, unit, description, tag } = limits;
const identifierReason = `must be null or a text of at most ${identifier.max} characters without control or invisible characters`;
const reasons: Record<Exclude<FieldName, 'metadata'>, string> = {
  name: `must be a text of ${name.min} to ${name.max} characters, at least one of them visible, and without control characters`,
  type: 'must be product or service',
  category: 'must be null or the id of a category',
  value: `must be a number from 0 to ${limits.value.max}`,
  qty: `must be a number from 0 to ${limits.qty.max}`,
  unit: `must be a registered unit of at most ${unit.max} characters`,
  description: `must be null or a text of at most ${description.max} characters`,
  active: 'must be true, false, 1 or 0',
  cost: `must be a number from 0 to ${limits.cost.max}`,
  tax: `must be a number from 0 to ${limits.tax.max}`,
  sku: identifierReason,
  pn: identifierReason,
  tag: `must be null or a text of at most ${tag.max} characters`,
};

/** A text of so many code points, in characters of one and of two UTF-16 units. */
const long = (count: number): string[] => ['x'.repeat(count), 'é'.repeat(count), '😀'.repeat(count)];
const longText = [null, '', ' ', '<script>alert(1)</script>', 'a\r\nb', '\0', 'a;b,c'];

const identifierRows = (field: 'sku' | 'pn'): readonly [FieldName, unknown, unknown][] => [
  ...[null, '', ' ', '\t\n', '\u00a0\u2003'].map((blank): [FieldName, unknown, unknown] => [field, blank, null]),
  [field, '  A 1\t', 'A 1'],
  [field, `${' '.repeat(4 * identifier.max)}A`, 'A'],
  [field, 'e\u0301', 'é'],
  [field, '\u212b', 'Å'],
  [field, ` ${'y'.repeat(identifier.max)} `, 'y'.repeat(identifier.max)],
  // The longest spelling of the most characters, with four code points each.
  [field, '\u1f82'.repeat(identifier.max).normalize('NFD'), '\u1f82'.repeat(identifier.max)],
];
const identifiers = ['A-1', 'a-1', '0', 'null', '#', 'X#PN#Y', 'constructor', '✂️', ...long(identifier.max)];

it.each<[FieldName, readonly unknown[]]>([
  ['name', ['0', 'null', ' a ', '.', '<script>', 'e\u0301', '日本', "'; --", 'a\u2028b', '\u200ba', ...long(name.max)]],
  ['name', ['✂️', '👨\u200d👩\u200d👧', 'می\u200cخواهم']],
  ['type', ['product', 'service']],
  ['category', [null, 1, 2, Number.MAX_SAFE_INTEGER]],
  ['value', [0, 12.5, 99_999_999.9999]],
  ['cost', [0, 12.5, 99_999_999.9999]],
  ['tax', [0, 1.00005, 999_999.999999]],
  // Its rounding depends on the unit.
  ['qty', [0, -0, 1e2, 1.23456789, 99_999_999.9999]],
  ['unit', ['', ...long(unit.max)]],
  ['description', [...longText, ...long(description.max)]],
  ['tag', [...longText, ...long(tag.max)]],
  ['active', [true, false]],
  ['sku', identifiers],
  ['pn', identifiers],
])('%s stores what it accepts (spec 2.1)', (field, values) => {
  for (const sent of values) expect(accepts[field].safeParse(sent)).toEqual({ success: true, data: sent });
});

it.each<[FieldName, unknown, unknown]>([
  ['value', -0, 0],
  ['value', 0.30000000000000004, 0.3],
  ['value', 1.00005, 1.0001],
  ['value', 1e-7, 0],
  ['cost', -0, 0],
  ['cost', 1.00005, 1.0001],
  ['cost', 0.00004, 0],
  ['tax', -0, 0],
  ['tax', 1.0000005, 1.000001],
  ['tax', 0.0000004, 0],
  ['active', 1, true],
  ['active', 0, false],
  ['active', -0, false],
  ...identifierRows('sku'),
  ...identifierRows('pn'),
])('%s stores %j as %j', (field, sent, kept) => {
  expect(accepts[field].safeParse(sent)).toEqual({ success: true, data: kept });
});

const notTexts = [1, 0, true, [], ['a'], {}];
const notNumbers = ['12.5', '0', '', true, false, [], [1], {}, Number.NaN];
/** What JSON.parse makes of 1e400 and -1e400. */
const infinite = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const;
const loneSurrogates = ['a\ud800', 'a\udc00', '\udc00\ud800'];
const controls = ['a\0b', '\u001b[0m', 'a\nb', 'a\tb', 'a\u001f', 'a\u007f', '\u0080a', '\u0085a', 'a\u009f'];
const formats = ['A\u200b', '\u200bA', 'A\u200dB', '\u202eA', 'A\u2066B\u2069', 'A\u00adB', 'A\ufeffB', 'A\u{e0041}'];
/** White space, zero-width characters, bidirectional controls, a soft hyphen and tags, fillers, and variation selectors. */
const invisible = [
  ...['', ' \t\n', '\u00a0\u2003\u3000\u2028', '\u200b\u200c\u200d\u2060\ufeff', '\u202a\u202e\u2066\u2069\u061c'],
  ...['\u00ad\u{e0041}\u{e007f}', '\u115f\u1160\u3164\uffa0\u034f', '\ufe0f\u{e0100}', '\u2800'],
];
const isPrintable = (text: string): boolean => !/\p{Cc}/u.test(text);

type Refused = [FieldName, Violation['rule'], values: readonly unknown[], limit?: number];
const refused: readonly Refused[] = [
  ['name', 'type', notTexts],
  ['name', 'required', [null, ...invisible.filter(isPrintable)]],
  ['name', 'pattern', [...controls, ' \t\n']],
  ['name', 'max_length', [...long(name.max + 1), ' '.repeat(name.max + 1)], name.max],
  ['type', 'choice', ['Product', 'SERVICE', '', ' product', 'toString', 0, [], ['product'], {}]],
  ['category', 'type', [1.5, '3', '', true, [], [1], {}]],
  ['category', 'unknown_reference', [0, -0, -1, -1e20, 2 ** 53, 1e300, ...infinite]],
  ...(['value', 'qty', 'cost', 'tax'] as const).flatMap((field): Refused[] => {
    const { max } = limits[field];
    return [
      [field, 'type', notNumbers],
      [field, 'required', [null]],
      [field, 'min', [-1, -0.0001, -5e-324, -1e30, infinite[1]], 0],
      [field, 'max', [max * (1 + Number.EPSILON), Math.ceil(max) + 1, 1e30, infinite[0]], max],
    ];
  }),
  ['unit', 'type', notTexts],
  ['unit', 'max_length', long(unit.max + 1), unit.max],
  ...(['description', 'tag'] as const).flatMap((field): Refused[] => [
    [field, 'type', notTexts],
    [field, 'max_length', long(limits[field].max + 1), limits[field].max],
  ]),
  ['active', 'choice', ['true', 'false', '1', '0', '', 2, -1, 0.5, [], [true], {}]],
  ...(['sku', 'pn'] as const).flatMap((field): Refused[] => [
    [field, 'type', notTexts],
    [field, 'pattern', [...formats, ...controls.map((text) => `a${text}a`), '\u200b', '\u3164']],
    [field, 'max_length', [...long(identifier.max + 1), 'e\u0301'.repeat(identifier.max + 1)], identifier.max],
    // Composed, too many combining marks in any order would take long.
    [field, 'max_length', [`a${'\u0301'.repeat(30_000)}${'\u0323'.repeat(30_000)}`], identifier.max],
  ]),
];

it.each<Refused>(refused)(
  '%s that breaks the rule %s is refused with that, its limit and one reason',
  (field, rule, values, limit) => {
    const isAmount = ['value', 'qty', 'cost', 'tax'].includes(field);
    for (const value of values) {
      const reason = `${reasons[field as keyof typeof reasons]}${isAmount && typeof value === 'string' ? ', not a text' : ''}`;
      const violation = { field, reason, rule, ...(limit !== undefined && { limit }) };
      expect([value, parseBody({ [field]: value as string }).invalid]).toEqual([value, [violation]]);
    }
  },
);

it.each(['type', 'unit', 'active'] as const)('%s that is null is refused as required', (field) => {
  expect(parseBody({ [field]: null }).invalid).toEqual([{ field, reason: reasons[field], rule: 'required' }]);
});

it.each(['name', 'unit', 'description', 'sku', 'pn', 'tag'] as const)('%s says that a text is malformed', (field) => {
  for (const sent of loneSurrogates)
    expect(parseBody({ [field]: sent }).invalid).toEqual([
      { field, reason: 'must be well-formed Unicode', rule: 'pattern' },
    ]);
});

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0]));
const lists = (count: number, length: number) =>
  Object.fromEntries(Object.keys(keys(count)).map((key) => [key, Array(length).fill(0)]));

it.each<[JsonObject[string], Violation['rule'], limit?: number]>([
  [[], 'type'],
  [keys(101), 'max_items', 100],
  [lists(1, 201), 'max_items', 200],
  [lists(10, 100), 'max_items', 1_000],
  [{ '': 1 }, 'required'],
  [{ ['k'.repeat(65)]: 1 }, 'max_length', 64],
  [JSON.parse('{"__proto__":1}'), 'pattern'],
  [{ a: '\ud800' }, 'pattern'],
  [{ a: 'x'.repeat(2_001) }, 'max_length', 2_000],
  [{ a: -1e300 }, 'max', 9.99e125],
  [{ a: 5e-324 }, 'min', 1e-130],
  [{ a: [[[[[]]]]] }, 'max_depth', 5],
])('the metadata %j names the rule %s', (metadata, rule, limit) => {
  const { invalid } = parseBody({ metadata });
  expect(invalid.map((field) => [field.rule, field.limit])).toEqual([[rule, limit]]);
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
});
