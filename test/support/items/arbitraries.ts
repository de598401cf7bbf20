import * as fc from 'fast-check';
import { type FieldName, fieldNames } from '../../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { hasFormatCharacters, hasVisibleCharacters } from '../../../lib/item/text.ts';

/** Keys with a special meaning in JavaScript or DynamoDB's expressions. */
export const notoriousKeys = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'a.b',
  '#n',
  ':v',
  'a[0]',
  'SET x=1',
  'size',
  'metadata',
  'revision',
  'unit',
];

/** Any well-formed text, from any script. */
export const anyText = fc.string({ unit: 'binary' });

/** Any JSON, with keys of any script and special ones, and numbers of any size. */
export const { json } = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, '', 0, 1e20, -1e20, 2 ** 53 + 2),
    fc.jsonValue() as fc.Arbitrary<Json>,
    anyText,
    fc.array(tie('json'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom('__proto__', ...notoriousKeys), anyText), tie('json'), { maxKeys: 5 }),
}));

const acceptedKey = fc.oneof(
  fc.constantFrom(...notoriousKeys),
  fc
    .string({ unit: 'binary', minLength: limits.metadata.keyLength.min, maxLength: 12 })
    .filter((key) => key !== '__proto__'),
);

const acceptedScalar = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, '', 1e20),
  fc.integer(),
  fc
    .double({ min: -1e125, max: 1e125, noNaN: true })
    // -0 is stored as 0, which is the same in JSON.
    .filter((value) => Object.is(value, 0) || Math.abs(value) >= 1e-130),
  anyText,
);

/** Custom fields as a request may send them, including nulls. */
export const acceptedMetadata: fc.Arbitrary<JsonObject> = fc.dictionary(
  acceptedKey,
  fc.oneof(acceptedScalar, fc.array(acceptedScalar), fc.dictionary(acceptedKey, acceptedScalar)),
  { maxKeys: 8, noNullPrototype: true },
);

const amountUpTo = (max: number) => fc.double({ min: 0, max, noNaN: true });
const printable = (max: number) => fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: max });
const identifier = printable(10).filter((text) => hasVisibleCharacters(text) && !hasFormatCharacters(text));

/** For each field of a body, any value that an account with the initial units and the categories 1 and 2 accepts. */
const acceptedFields = {
  name: printable(limits.name.max).filter(hasVisibleCharacters),
  type: fc.constantFrom('product', 'service'),
  category: fc.constantFrom(null, 1, 2),
  value: amountUpTo(limits.value.max),
  qty: amountUpTo(limits.qty.max),
  unit: fc.constantFrom('un', 'hour', 'kg', 'g'),
  description: fc.option(anyText),
  active: fc.constantFrom<Json>(true, false, 0, 1),
  cost: amountUpTo(limits.cost.max),
  tax: amountUpTo(limits.tax.max),
  sku: fc.option(identifier),
  pn: fc.option(identifier),
  tag: fc.option(anyText),
  metadata: fc.option(acceptedMetadata),
} as const satisfies Readonly<Record<FieldName, fc.Arbitrary<Json>>>;

/** Accepted bodies of updates, each with at least one field. */
export const acceptedBody: fc.Arbitrary<JsonObject> = fc
  .record(acceptedFields, { requiredKeys: [], noNullPrototype: true })
  .filter((body) => Object.keys(body).length > 0)
  // Parsed as in a request, so without null prototypes.
  .map((body) => JSON.parse(JSON.stringify(body)));

/** Bodies with any JSON in the known fields, and under any other key. */
export const anyBody: fc.Arbitrary<JsonObject> = fc
  .tuple(
    acceptedBody,
    fc.dictionary(fc.oneof(fc.constantFrom('id', 'create_date', '__proto__'), anyText), json, { maxKeys: 3 }),
    fc.dictionary(fc.constantFrom(...fieldNames), json, { maxKeys: 3 }),
  )
  .map((parts) => JSON.parse(JSON.stringify(Object.fromEntries(parts.flatMap(Object.entries)))));
