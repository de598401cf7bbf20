import { type FieldName, fieldNames } from '../../lib/item/limits.ts';
import { bearer, create, update } from '../support/apiRequests.ts';
import { invalid } from '../support/refusals.ts';
import type { RefusedCase } from './refusedCase.ts';
import { shortened } from './shortened.ts';

const characters = (count: number, character = 'x'): string => JSON.stringify(character.repeat(count));
const keys = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index])));
const nestedArrays = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const notTexts = ['7', 'true', '[]', '["x"]', '{}'];
const loneSurrogates = ['"\\ud83d"', '"a\\udc00b"'];
const controls = ['"a\\u0000b"', '"a\\u001bb"', '"a\\nb"', '"a\\u007fb"', '"a\\u0085b"'];
const notNumbers = ['null', '"12.5"', '"0"', '""', 'true', '{}', '[]', '[1]'];
const code = [characters(46), characters(46, '🪑'), ...notTexts, ...loneSurrogates, ...controls];

const amount = [...notNumbers, '-0.0001', '-1', '100000000', '99999999.99991', '1e400', '-1e400'];

/** For each field the JSON texts that it refuses, in a create as in an update. */
const refusedValues: Record<FieldName, readonly string[]> = {
  name: ['null', '""', '"  \\t"', characters(151), characters(151, '🪑'), ...notTexts, ...loneSurrogates, ...controls],
  type: ['null', '""', '"Product"', '" product"', '"toString"', '1', '["product"]', '{}'],
  // The 4 is archived.
  category: ['0', '-1', '1.5', '"3"', '""', '9007199254740992', '1e400', '99', '4', 'true', '[1]', '{}'],
  value: amount,
  qty: amount,
  unit: ['null', '""', '"parsec"', '"UN"', '"un "', '"kilogram9"', '"toString"', '"constructor"', '"__proto__"', '7'],
  description: [characters(20_001), ...notTexts, ...loneSurrogates],
  active: ['null', '"true"', '"1"', '""', '2', '-1', '0.5', '[]', '{}'],
  cost: amount,
  tax: [...amount, '1000000', '999999.9999991'],
  sku: code,
  pn: code,
  tag: [characters(501), ...notTexts, ...loneSurrogates],
  metadata: [
    '[]',
    '"x"',
    '1',
    'true',
    '{"":1}',
    `{${characters(65)}:1}`,
    `{${characters(65, '🪑')}:1}`,
    keys(51),
    `{"a":[${Array(10_000).fill(0)}]}`,
    `{"a":${characters(2_001)}}`,
    `{"a":[${characters(2_001)}]}`,
    // Six levels, the custom fields themselves being the first.
    '{"2":{"3":{"4":{"5":{"6":{}}}}}}',
    '{"2":[[[[[]]]]]}',
    '{"a":1e300}',
    '{"a":-1e300}',
    '{"a":1e400}',
    '{"a":5e-324}',
    '{"a":{"b":[1e300]}}',
    '{"__proto__":1}',
    '{"__proto__":null}',
    '{"a":{"__proto__":{}}}',
    '{"a":[{"b":{"__proto__":1}}]}',
    '{"a":{"":1}}',
    '{"a":"\\ud800"}',
    '{"\\ud800":1}',
    '{"a":{"b":["\\udc00"]}}',
    nestedArrays(5_000),
    nestedArrays(130_000),
  ],
};

/** A category and a unit that the first account has, and the second has not. */
export const onlyOfFirst = { category: 2, unit: 'pallet' } as const;

/** Values that a field refuses. */
export const refusedFields: readonly RefusedCase[] = [
  ...fieldNames.flatMap((field) =>
    refusedValues[field].flatMap((json): RefusedCase[] => [
      {
        ...invalid(field),
        title: `create with ${field} ${shortened(json)}`,
        request: () => create(field === 'name' ? `{"name":${json}}` : `{"name":"Chair","${field}":${json}}`),
      },
      {
        ...invalid(field),
        title: `update with ${field} ${shortened(json)}`,
        request: ({ item }) => update(item, `{"value":5,"${field}":${json}}`),
      },
    ]),
  ),
  ...(['category', 'unit'] as const).flatMap((field): RefusedCase[] => {
    const reference = { [field]: onlyOfFirst[field] };
    return [
      {
        ...invalid(field),
        title: `create with another account's ${field}`,
        request: ({ tokens }) => create({ name: 'Chair', ...reference }, bearer(tokens.otherAccount)),
      },
      {
        ...invalid(field),
        title: `update with another account's ${field}`,
        request: ({ tokens, foreignItem }) =>
          update(foreignItem, { value: 5, ...reference }, bearer(tokens.otherAccount)),
      },
    ];
  }),
];
