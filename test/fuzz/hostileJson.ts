import { limits } from '../../lib/item/limits.ts';
import type { Random } from '../support/random.ts';

/** Numbers at the bounds and beyond. */
const numbers = [
  ...['0', '-0', '1', '-1', '1.5', '2', '1.005', '2.675', '0.30000000000000004', '1e2', '1e-7', '-0.0001'],
  ...['99999999.9999', '99999999.99991', '99999999.99995', '100000000', '999999.999999', '999999.9999995', '1000000'],
  ...['9007199254740991', '9007199254740993', '1e21', '1e22', '1e125', '9.99e125', '1e126', '1e300', '1e308', '1e400'],
  ...['-1e400', '5e-324', '1e-130', '1e-131', '1e-400', `0.${'3'.repeat(400)}`, '9'.repeat(400), '1E+2'],
];

/** What other languages allow, but JSON does not. */
const notJson = [
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  'NaN',
  'Infinity',
  '1_000',
  '1e',
  '１',
  'undefined',
  '',
  "'a'",
  '[1,]',
];

const words = [
  ...['product', 'Product', 'service', 'un', 'hour', 'kg', 'UN', 'parsec', 'null', 'true', '0', '12.5', '1e400'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'length'],
  ...['#n', ':v', 'a.b', 'a[0]', 'SET x=1', 'ACCOUNT#acme', 'X#PN#Y', '#', '<script>alert(1)</script>', '%{x}'],
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\0',
    '\x1b[31m',
    '\x7f',
    '\x85',
    '\u2028',
    '\ufeff',
    '\u200b',
    '\u202eabc',
    '\u3000',
  ],
  ...['é', 'e\u0301', '\u212b', '\ufb03', '\u1100\u1161\u11a8', '\u0344', '\u{1d15e}', '\u{1f469}\u200d\u{1f680}', 'ß'],
  ...['\ud800', '\udc00', 'a\ud83d', '\udc00\ud800', '\uffff', '\u{10ffff}'],
];

const characters = ['a', 'é', '\u{1f600}', 'e\u0301', '\u0301', '\u0390', '\ufdfa', ' ', '\0', '"', '\\', '\ud800'];

/** Lengths around each limit. */
const lengths = [
  ...[limits.unit.max, limits.identifier.max, limits.metadata.keyLength.max, limits.name.max, limits.tag.max],
  ...[limits.identifier.max * 4, limits.metadata.stringLength, limits.description.max],
].flatMap((length) => [length - 1, length, length + 1]);

/** Longer than any field may be, up to the size of a body. */
const hugeLengths = [50_000, 120_000, limits.body - 100, limits.body];

/** Depths around the limit of metadata, and depths that overflow the stack of a recursion. */
const depths = [1, 3, 4, 5, 6, 7, 100, 5_000, 40_000];

/** Any text, before it is quoted as JSON. */
export function hostileText(random: Random): string {
  if (random.chance(0.5)) return random.pick(words);
  if (random.chance(0.03)) return random.pick(characters).repeat(random.pick(hugeLengths));
  if (random.chance(0.5)) return random.pick(characters).repeat(random.pick(lengths));
  return Array.from({ length: 1 + random.below(6) }, () => String.fromCodePoint(random.below(0x110000))).join('');
}

/** A JSON string, sometimes with every character escaped, sometimes malformed. */
export function quoted(random: Random, text: string): string {
  const style = random.next();
  if (style < 0.9 || text.length > 1_000) return JSON.stringify(text);
  if (style < 0.99) {
    const hex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `"${text.split('').map(hex).join('')}"`;
  }
  return `"${text}"`;
}

/** Nested arrays or objects, some deeper than a recursion survives. */
function nested(random: Random): string {
  const depth = random.pick(depths);
  const inner = random.pick(['', '1', '"x"', '{}']);
  if (random.chance(0.5)) return '['.repeat(depth) + inner + ']'.repeat(depth);
  return '{"a":'.repeat(depth) + (inner || 'null') + '}'.repeat(random.chance(0.95) ? depth : depth - 1);
}

/** An array or object with many members. */
function wide(random: Random): string {
  const count = random.pick([49, 50, 51, 99, 100, 101, 1_000, 5_000]);
  const value = random.pick(['null', '1', '"x"', '[]']);
  if (random.chance(0.3)) return `[${Array.from({ length: count }, () => value)}]`;
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`)}}`;
}

/** Any value as JSON text; a few are malformed. */
export function hostileValue(random: Random, level = 0): string {
  const kind = random.next();
  if (kind < 0.01) return random.pick(notJson);
  if (kind < 0.3) return random.pick(numbers);
  if (kind < 0.6) return quoted(random, hostileText(random));
  if (kind < 0.75) return random.pick(['null', 'true', 'false', '[]', '{}', '[null]', '{"":0}']);
  if (level === 0 && kind < 0.79) return nested(random);
  if (level === 0 && kind < 0.82) return wide(random);
  const values = Array.from({ length: random.below(4) }, () => (level > 5 ? '0' : hostileValue(random, level + 1)));
  if (kind < 0.9) return `[${values}]`;
  return `{${values.map((value) => `${quoted(random, hostileText(random).slice(0, 80))}:${value}`)}}`;
}
