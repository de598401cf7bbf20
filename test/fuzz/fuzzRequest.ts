import * as fc from 'fast-check';
import type { Caller } from '../../lib/access/caller.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { createBody, updateBody } from './acceptedBodies.ts';
import { hostileText, hostileValue, nested, quoted, rarely, scrambled } from './hostileJson.ts';

export interface FuzzRequest {
  readonly operation: 'createItem' | 'updateItem';
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  /** Text that may be JSON. */
  readonly body: string;
  /** The item of an update. */
  readonly id: number;
}

const code = fc.nat(10 ** 6).map((number) => `c${number}`);

/** An accepted body, mostly with codes that no other item has. */
const accepted = fc
  .tuple(fc.oneof(createBody, createBody, updateBody), rarely(300, fc.constant({}), fc.record({ sku: code, pn: code })))
  .map(([body, codes]) =>
    Object.entries({ ...body, ...codes }).map((member) => member.map((part) => JSON.stringify(part))),
  );

/** Keys that are no field's, though some look like one. */
const strangeKeys = ['id', 'create_date', 'category_name', '__proto__', 'constructor', 'Name', 'name ', 'n', 'cost\0'];

/** Members that replace or join those of a body, key and value as JSON text: of a repeated key, the last value counts. */
const hostileMember = fc.oneof(
  { arbitrary: fc.tuple(quoted(fc.constantFrom(...fieldNames)), hostileValue), weight: 5 },
  {
    arbitrary: fc
      .tuple(quoted(hostileText), fc.oneof(hostileValue, nested))
      .map(([key, value]): [string, string] => ['"metadata"', `{${key}:${value}}`]),
    weight: 2,
  },
  { arbitrary: fc.tuple(quoted(fc.oneof(fc.constantFrom(...strangeKeys), hostileText)), hostileValue), weight: 2 },
);

/** Metadata that fills a body: two of them would make an item larger than DynamoDB stores. */
const largeMetadata = fc.nat(100).map((from) => {
  const text = 'あ'.repeat(limits.metadata.stringLength);
  const count = Math.floor(limits.body / (Buffer.byteLength(text) + 10)) - 1;
  return `{"name":"Large","metadata":{${Array.from({ length: count }, (_, index) => `"k${from + index}":"${text}"`)}}}`;
});

/** As many values as a body can hold. */
const manyValues = fc.constant(`{"name":"Many","metadata":{"many":[${'0,'.repeat(130_000)}0]}}`);

const object = fc
  .tuple(
    accepted,
    fc.oneof(fc.constant([]), fc.array(hostileMember, { maxLength: 4 })),
    fc.constantFrom('', ' ', '\n\t'),
  )
  .map(([members, others, blank]) => {
    const texts = [...members, ...others].map(([key, value]) => `${blank}${key}${blank}:${blank}${value}`);
    return `{${texts}${blank}}`;
  });

const syntax = [',', '}', '{', '"', '\\', '\0', '\ufeff', '[', 'e', '\\u', '//', '\ud800', ' '.repeat(limits.body)];
const bodyText = fc.oneof(
  { arbitrary: object, weight: 180 },
  { arbitrary: object.chain((text) => scrambled(text, syntax)), weight: 12 },
  { arbitrary: hostileValue, weight: 4 },
  { arbitrary: fc.oneof(largeMetadata, manyValues), weight: 2 },
);

const headers = fc
  .record({ 'if-match': fc.constantFrom('"1"', '"2"', '*'), 'idempotency-key': fc.constantFrom('key-1', 'key-2') })
  .chain((all) => fc.subarray(Object.entries(all)))
  .map((some): Record<string, string> => Object.fromEntries(some));

/** Of the items that the creates before have made, or of none; the first is hot. */
const itemId = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }));

/** A request of one of these callers with any body, framed as API Gateway does it. */
export const fuzzRequest = (callers: readonly Caller[]): fc.Arbitrary<FuzzRequest> =>
  fc.record({
    operation: fc.constantFrom('createItem' as const, 'updateItem' as const),
    caller: fc.constantFrom(...callers),
    headers: rarely(300, headers, fc.constant({})),
    body: bodyText,
    id: itemId,
  });
