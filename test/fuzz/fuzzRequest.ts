import * as fc from 'fast-check';
import { type Caller, toAuthorizerContext } from '../../lib/access/caller.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { json } from '../support/items/arbitraries.ts';
import { createBody, updateBody } from './acceptedBodies.ts';
import { hostileText, hostileValue, mixOf, nested, quoted, rarely, scrambled } from './hostileJson.ts';

/** An event for one of the handlers: any JSON, but mostly what API Gateway would send. */
export interface FuzzRequest {
  readonly operation: 'createItem' | 'updateItem';
  readonly event: unknown;
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
  { arbitrary: fc.constantFrom('null', '[]', '5', '"x"', ''), weight: 2 },
  { arbitrary: fc.oneof(largeMetadata, manyValues), weight: 2 },
);

const inBase64 = (text: string, encoding?: BufferEncoding) => Buffer.from(text, encoding).toString('base64');

/** API Gateway sends JSON in base64; here it is also sent as text, as other bytes and as malformed base64. */
const body = fc.oneof(
  { arbitrary: bodyText.map((text) => ({ body: inBase64(text), isBase64Encoded: true })), weight: 85 },
  { arbitrary: bodyText.map((text) => ({ body: text, isBase64Encoded: false })), weight: 9 },
  {
    arbitrary: bodyText
      .chain((text) =>
        fc.oneof(
          scrambled(inBase64(text), ['\n', ' ', '-', '=', '!', '\0', 'é']),
          fc.constantFrom(text, Buffer.from(text).toString('base64url'), inBase64(text, 'utf16le')),
          scrambled(Buffer.from(text).toString('latin1'), ['\xff', '\xc0']).map((bytes) => inBase64(bytes, 'latin1')),
        ),
      )
      .chain((text) => fc.record({ body: fc.constant(text), isBase64Encoded: fc.constantFrom(true, 'true', null) })),
    weight: 5,
  },
  { arbitrary: fc.record({ body: json, isBase64Encoded: fc.boolean() }), weight: 1 },
);

const mediaType = mixOf(
  'application/json',
  '; charset=',
  'utf-8',
  'latin1',
  '"',
  ' ',
  ';',
  ',',
  'x',
  ' '.repeat(10_000),
);
const entityTag = mixOf('"1"', '"2"', '"', ',', 'W/', '*', '0', ' ', '9007199254740993', '\0', '"1",'.repeat(99), 'é');
const idempotencyKey = mixOf('a', ' ', '"', ',', 'é', '\0', '\\', 'x'.repeat(127));
const otherNames = ['x-account-id', 'cookie', '__proto__', 'constructor', 'toString', '', 'origin', 'content-encoding'];

type Header = readonly [name: string, value: unknown];

/** So many of a thousand requests have the header, its name in any case. */
const header = (perMille: number, name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Header[]> =>
  rarely(
    1_000 - perMille,
    fc.constant([]),
    fc.tuple(fc.mixedCase(fc.constant(name)), value).map((one) => [one]),
  );

const sentHeaders = fc
  .tuple(
    header(980, 'content-type', rarely(40, mediaType, fc.constant('application/json'))),
    header(900, 'authorization', fc.constant('Bearer cat_token')),
    header(150, 'if-match', rarely(100, hostileText, fc.oneof(fc.constantFrom('"1"', '"2"', '*'), entityTag))),
    header(100, 'idempotency-key', fc.constantFrom('key-1', 'key-2', 'key-3', 'key-4', 'key-5', 'key-6')),
    header(30, 'idempotency-key', rarely(150, hostileText, idempotencyKey)),
    fc.constantFrom(...otherNames).chain((name) => header(50, name, hostileText)),
    fc.constantFrom('content-type', 'if-match', 'idempotency-key', 'origin').chain((name) => header(30, name, json)),
  )
  .map((headers) => headers.flat());

/** The headers in both places of API Gateway's event, or in one of them. */
const headers = fc
  .tuple(sentHeaders, fc.constantFrom('both', 'both', 'headers', 'multiValueHeaders'))
  .map(([sent, where]) => {
    const several = Map.groupBy(sent, ([name]) => name);
    return {
      headers: where === 'multiValueHeaders' ? null : Object.fromEntries(sent),
      multiValueHeaders:
        where === 'headers'
          ? null
          : Object.fromEntries([...several].map(([name, all]) => [name, all.map(([, value]) => value)])),
    };
  });

const strangeId = mixOf('1', '0', '-', '.', 'e', ' ', '/', '%00', '１', 'x', '900719925474099', '9'.repeat(999));
/** Of the items that the creates before have made, or of none; the first is hot. */
const itemId = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 })).map(String);
const pathParameters = rarely(
  100,
  fc.oneof(fc.record({ id: fc.oneof(strangeId, hostileText) }), fc.record({ id: json }), json),
  fc.record({ id: itemId }),
);

const permissions = mixOf('catalog:edit', 'catalog:cost:read', ' ', ',', 'x');

/** What the authorizer says about the caller, and what it never would. API Gateway passes on flat values in UTF-8 only. */
const authorizer = (callers: readonly Caller[]) =>
  fc.constantFrom(...callers).chain((caller) => {
    const context = { ...toAuthorizerContext(caller), principalId: caller.user };
    const text = hostileText.map((any) => any.slice(0, 200).toWellFormed());
    const flat = fc.oneof(text, fc.constantFrom(null, 0, -1, true, '1700000000', 'NaN'));
    const changed = fc.dictionary(fc.constantFrom(...Object.keys(context)), flat, { maxKeys: 2 });
    const strange = fc
      .oneof(changed, changed, fc.record({ permissions }))
      .map((parts): object => ({ ...context, ...parts }));
    return rarely(40, rarely(100, json, strange), fc.constant(context));
  });

/** Any event for one of the handlers, of one of these callers. */
export const fuzzRequest = (callers: readonly Caller[]): fc.Arbitrary<FuzzRequest> =>
  fc.constantFrom('createItem' as const, 'updateItem' as const).chain((operation) =>
    fc
      .tuple(
        headers,
        body,
        fc.record({
          queryStringParameters: rarely(50, fc.dictionary(hostileText, hostileText, { maxKeys: 1 }), fc.constant(null)),
          pathParameters: operation === 'createItem' ? fc.constant(null) : pathParameters,
          requestContext: fc.record({ requestId: fc.constant('request-1'), authorizer: authorizer(callers) }),
        }),
        rarely(
          10,
          fc.dictionary(fc.constantFrom('headers', 'requestContext', 'isBase64Encoded'), json),
          fc.constant({}),
        ),
      )
      // Parsed, as events are: without null prototypes.
      .map((parts) => ({ operation, event: JSON.parse(JSON.stringify(Object.assign({}, ...parts))) })),
  );
