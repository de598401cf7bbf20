import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldName, fieldNames, fields } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';
import { parseBody } from '../../../lib/item/readBody.ts';
import { violations } from '../../support/api/contract.ts';

const isDocumented = (field: FieldName, value: unknown): boolean =>
  violations(value, 'published', 'components', 'schemas', 'NewItem', 'properties', field).length === 0;

const isAccepted = (field: FieldName, value: unknown): boolean =>
  parseBody({ [field]: value as never }).invalid.length === 0;

/** Texts at the bounds of every field, in characters of one and of two UTF-16 units, with what some fields refuse. */
const lengths = [0, 1, 8, 9, 45, 46, 150, 151, 500, 501, 2_000, 2_001, 20_000, 20_001];
const texts = fc
  .tuple(
    fc.constantFrom(...lengths),
    fc.constantFrom('a', '😀', ' ', 'é'),
    fc.constantFrom('', '\n', '\u007f', ' ', '\u0085'),
  )
  .map(([length, character, other]) => character.repeat(Math.max(0, length - other.length)) + other);

const bounds = [limits.value.max, limits.tax.max, limits.metadata.number.min, limits.metadata.number.max, 0, 1];
const numbers = fc
  .tuple(fc.constantFrom(...bounds), fc.constantFrom(1, -1, 0.9, 1.1, 1 + Number.EPSILON))
  .map(([bound, factor]) => bound * factor);

const plain = fc.oneof(numbers, texts, fc.boolean(), fc.constant(null), fc.integer());
const containers = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, plain, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom('', '__proto__', 'a'.repeat(64), 'a'.repeat(65)), texts),
    tie('value'),
    {
      maxKeys: 4,
    },
  ),
}));
const anything = fc.oneof(plain, containers.value);

/** A text around which there is white space is cut and composed before its length counts, which no schema can say. */
const isCanonical = (value: unknown): boolean =>
  typeof value !== 'string' || (value.trim() === value && value.normalize('NFC') === value);

/** Without the values of `metadata`, whose limits are only described. */
const withoutMetadataValues = (field: FieldName, value: unknown): unknown =>
  field !== 'metadata' || typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.keys(value).map((key) => [key, true]));

describe('the schema of a field accepts what the service accepts', () => {
  it.each(fieldNames)('%s', (field) => {
    fc.assert(
      fc.property(anything, (value) => {
        fc.pre(!('unique' in fields[field]) || isCanonical(value));
        expect(isDocumented(field, value)).toBe(isAccepted(field, withoutMetadataValues(field, value)));
      }),
      { numRuns: 150 },
    );
  });

  it.each([limits.metadata.keysPerRequest, limits.metadata.keysPerRequest + 1])('metadata of %i keys', (count) => {
    const metadata = Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index]));
    expect(isDocumented('metadata', metadata)).toBe(isAccepted('metadata', metadata));
  });
});
