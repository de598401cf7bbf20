import * as fc from 'fast-check';
import { limits } from '../../lib/item/limits.ts';
import { json, notoriousKeys } from '../support/items/arbitraries.ts';

/** One of two, the strange one in so many of a thousand cases. */
export const rarely = <T, U>(perMille: number, strange: fc.Arbitrary<T>, usual: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ arbitrary: usual, weight: 1_000 - perMille }, { arbitrary: strange, weight: perMille });

/** Numbers at the bounds and beyond. */
const numbers = [
  ...['0', '-0', '-1', '1.5', '1.005', '2.675', '0.30000000000000004', '1e2', '1e-7', '-0.0001', '1E+2'],
  ...['99999999.9999', '99999999.99991', '99999999.99995', '100000000', '999999.999999', '999999.9999995', '1000000'],
  ...['9007199254740991', '9007199254740993', '1e22', '9.99e125', '1e126', '1e308', '1e400', '-1e400', '5e-324'],
  ...['1e-130', '1e-131', '1e-400', `0.${'3'.repeat(400)}`, '9'.repeat(400)],
];

const mixOf = (...pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...pieces), maxLength: 8 });

/** Numbers, and what other languages allow but JSON does not. */
const almostJson = mixOf('0', '1', '.', '-', '+', 'e', 'x', '_', 'n', "'", '[', ']', ',', '１', 'NaN');

const words = [
  ...['Product', 'service', 'hour', 'kg', 'UN', 'parsec', 'null', 'true', '12.5', '__proto__', ...notoriousKeys],
  ...['ACCOUNT#acme', 'X#PN#Y', '<script>alert(1)</script>', '%{x}', '', ' ', '\t', '\r\n', '\0', '\x1b[31m', '\x7f'],
  ...['\x85', '\u2028', '\ufeff', '\u200b', '\u202eabc', '\u3000', 'e\u0301', '\u212b', '\ufb03', '\u1100\u1161\u11a8'],
  ...['\u0344', '\u{1d15e}', '\u{1f469}\u200d\u{1f680}', '\ud800', '\udc00', 'a\ud83d', '\uffff', '\u{10ffff}'],
];

const characters = ['a', 'é', '\u{1f600}', 'e\u0301', '\u0301', '\u0390', '\ufdfa', ' ', '\0', '"', '\\', '\ud800'];

/** Around each limit. */
const lengths = [
  ...[limits.unit.max, limits.identifier.max, limits.metadata.keyLength.max, limits.name.max, limits.tag.max],
  ...[limits.identifier.max * 4, limits.metadata.stringLength, limits.description.max],
].flatMap((length) => [length - 1, length, length + 1]);

const repeated = (...counts: number[]) =>
  fc.tuple(fc.constantFrom(...characters), fc.constantFrom(...counts)).map(([text, count]) => text.repeat(count));

/** Any text, before it is quoted as JSON. */
export const hostileText = rarely(
  15,
  repeated(50_000, 120_000, limits.body - 100, limits.body),
  fc.oneof(fc.constantFrom(...words), repeated(...lengths), fc.string({ unit: 'binary', maxLength: 8 })),
);

const escaped = (text: string): string =>
  `"${text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

/** A JSON string, sometimes with every character escaped, sometimes malformed. */
export const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  rarely(
    100,
    rarely(
      100,
      fc.constant((plain: string) => `"${plain}"`),
      fc.constant(escaped),
    ),
    fc.constant(JSON.stringify),
  ).chain((quote) => text.map((plain) => quote(plain)));

/** Arrays or objects around the limits of metadata, some deeper than a recursion survives. */
export const nested = fc
  .tuple(fc.constantFrom(1, 3, 4, 5, 6, 7, 100, 5_000, 40_000), fc.constantFrom('1', '"x"', '{}'), fc.boolean())
  .map(([depth, inner, isArray]) =>
    isArray ? '['.repeat(depth) + inner + ']'.repeat(depth) : '{"a":'.repeat(depth) + inner + '}'.repeat(depth),
  );

/** Arrays or objects with about as many values as a limit of metadata, or as a body can hold. */
const wide = fc
  .tuple(fc.constantFrom(49, 50, 51, 99, 100, 101, 199, 200, 201, 5_000), fc.boolean())
  .map(([count, isArray]) => {
    const values = Array.from({ length: count }, (_, index) => (isArray ? '0' : `"k${index}":1`));
    return isArray ? `[${values}]` : `{${values}}`;
  });

/** Any value as JSON text; a few are malformed. */
export const hostileValue = fc.oneof(
  { arbitrary: almostJson, weight: 1 },
  { arbitrary: fc.constantFrom(...numbers), weight: 29 },
  { arbitrary: quoted(hostileText), weight: 30 },
  { arbitrary: json.map((value) => JSON.stringify(value)), weight: 30 },
  { arbitrary: nested, weight: 5 },
  { arbitrary: wide, weight: 5 },
);

/** A text with up to a few characters replaced, or cut off. */
export const scrambled = (text: string, inserted: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.constantFrom(0, 1, 8, text.length), fc.constantFrom('', ...inserted))
    .map(([from, removed, added]) => text.slice(0, from) + added + text.slice(from + removed));
