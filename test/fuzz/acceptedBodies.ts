import * as fc from 'fast-check';
import type { JsonObject } from '../../lib/item/json.ts';

/** Few codes, so that they are taken; some are spelled in two ways. */
const sku = fc.constantFrom('A', 'B', 'C', ' A ', 'caf\u00e9', 'cafe\u0301', 'X#PN#Y', '', null);
const pn = fc.constantFrom('A', 'B', ' B', null);

/** Amounts of any size within a bound, of at most so many decimals. */
const amount = (max: number, decimals: number) =>
  fc.oneof(
    fc.constantFrom(0, 1, max),
    fc.integer({ min: 0, max: 10 ** 6 }).map((number) => number / 10 ** decimals),
    fc.nat(Math.floor(max)),
  );

const metadataValue = fc.constantFrom<JsonObject[string]>(null, 'red', 12.5, true, [1, null, { a: null }], { w: 40 });
const metadataKey = fc.constantFrom('a', 'b', 'a.b', 'constructor', '#n', ':v', 'size', 'revision');

/** As many keys as a request can have; three such merges are more than an item can have. */
const wideMetadata = fc.constantFrom(0, 50, 100).map((from) => {
  const keys = Array.from({ length: 50 }, (_, index) => `k${from + index}`);
  return Object.fromEntries(keys.map((key) => [key, key]));
});

const bodyFields = {
  name: fc.constantFrom('Chair', 'Table', 'é', '\u{1f600}'),
  type: fc.constantFrom('product', 'service'),
  category: fc.constantFrom(1, 2, null),
  value: amount(99_999_999.9999, 5),
  qty: amount(99_999_999.9999, 4),
  unit: fc.constantFrom('un', 'hour', 'kg', 'g'),
  description: fc.constantFrom('', 'With arms', null),
  active: fc.constantFrom<JsonObject[string]>(true, false, 0, 1),
  cost: amount(99_999_999.9999, 5),
  tax: amount(999_999.999999, 7),
  sku,
  pn,
  tag: fc.constantFrom('', 'seat;wood', null),
  metadata: fc.oneof(
    { arbitrary: fc.dictionary(metadataKey, metadataValue, { maxKeys: 4, noNullPrototype: true }), weight: 8 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: wideMetadata, weight: 4 },
  ),
};

/** Well-formed bodies that are refused, or change nothing. */
const fault = fc.constantFrom<JsonObject>({ category: 99 }, { unit: 'parsec' }, { unit: 'parsec', category: 99 });

const faulty = (body: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    { arbitrary: body, weight: 19 },
    { arbitrary: fc.tuple(body, fault).map(([one, other]) => ({ ...one, ...other })), weight: 1 },
  );

export const createBody: fc.Arbitrary<JsonObject> = faulty(
  fc.record(bodyFields, { requiredKeys: ['name'], noNullPrototype: true }),
);

/** Forms send all of the fields again, programs one or two. */
export const updateBody: fc.Arbitrary<JsonObject> = fc.oneof(
  { arbitrary: faulty(fc.record(bodyFields, { requiredKeys: [], noNullPrototype: true })), weight: 4 },
  { arbitrary: fc.record({ qty: bodyFields.qty }), weight: 1 },
  { arbitrary: fc.record({ sku, pn }), weight: 2 },
  { arbitrary: fc.record({ metadata: bodyFields.metadata }), weight: 2 },
  { arbitrary: fc.constant({ id: 5, colour: 'red' }), weight: 1 },
);
