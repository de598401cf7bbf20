import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etag, idempotencyKey, ifMatch, pathId, type Reads } from '../../../lib/http/requestParts.ts';
import { refusalOf } from '../../support/items/refusalOf.ts';

/** What a middleware hands on of an event. */
function handedOn<Members>(middleware: Reads<Members>, event: object): Members {
  const context = {} as Context & Members;
  middleware.before?.({ event: event as APIGatewayProxyEvent, context } as Request<
    APIGatewayProxyEvent,
    unknown,
    Error,
    Context & Members
  >);
  return context;
}

const idOf = (pathParameters: unknown) => handedOn(pathId('ITEM_NOT_FOUND'), { pathParameters }).id;
const allowedRevisions = (values: readonly string[]) =>
  handedOn(ifMatch(), { multiValueHeaders: { 'if-match': values } }).revisions;
const keyOf = (values: readonly string[]) =>
  handedOn(idempotencyKey(), { multiValueHeaders: { 'idempotency-key': values } }).key;

const invalidHeader = (name: string) => ({
  code: 'INVALID_REQUEST',
  message: `Invalid header: ${name}.`,
  fields: undefined,
});
const notFound = expect.objectContaining({ code: 'ITEM_NOT_FOUND' });

describe('the id in the path', () => {
  it.each([
    ['1', 1],
    ['42', 42],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('%s is the id %i', (text, id) => {
    expect(idOf({ id: text })).toBe(id);
  });

  it.each(
    [
      ...['abc', '', '0', '00', '-1', '+1', '1.5', '1.0', '1e3', '01', '0x1', '9007199254740992', '9007199254740993'],
      ...['10000000000000000', '9'.repeat(400), '\0', '1\0', '1\n', '1 ', ' 1', '%00', '1%20', '__proto__', '١', '1,2'],
      ...[null, undefined, [], {}, { toString: null }, false],
    ].map((id) => [id]),
  )('%j cannot be the id of an item', (id) => {
    expect(() => idOf({ id })).toThrow(notFound);
  });

  it.each([null, undefined, {}, 'x'])('missing from %j cannot be the id of an item', (pathParameters) => {
    expect(() => idOf(pathParameters)).toThrow(notFound);
  });
});

const revision = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('the entity tag', () => {
  it('is the revision as a strong tag', () => {
    expect([etag(3), etag(Number.MAX_SAFE_INTEGER)]).toEqual(['"3"', '"9007199254740991"']);
  });

  it('may be in a list, in one header or in several', () => {
    const spaces = fc.constantFrom('', ' ', '\t', '  ');
    fc.assert(
      fc.property(fc.array(revision, { minLength: 1, maxLength: 100 }), spaces, (sent, space) => {
        expect(allowedRevisions([sent.map(etag).join(`${space},${space}`)])).toEqual(sent);
        expect(allowedRevisions(sent.map(etag))).toEqual(sent);
      }),
    );
  });
});

describe('If-Match', () => {
  it.each([[[]], [['*']], [[' * ']]])('of %j allows any revision', (values) => {
    expect(allowedRevisions(values)).toBeUndefined();
  });

  it.each([
    ['W/"3"', [0]],
    ['"03"', [0]],
    ['"0"', [0]],
    ['""', [0]],
    ['"*"', [0]],
    ['"3,4"', [0]],
    ['"9007199254740992"', [0]],
    [`"${'9'.repeat(400)}"`, [0]],
    ['"3", W/"4", "é"', [3, 0, 0]],
    ['"3",', [3]],
    [', "3"', [3]],
    ['"3" ,,\t, "4"', [3, 4]],
    [Array.from({ length: 100 }, () => '"3"').join(), Array.from({ length: 100 }, () => 3)],
  ])('of %s allows the revisions %j, where 0 matches no item', (value, revisions) => {
    expect(allowedRevisions([value])).toEqual(revisions);
  });

  it.each([
    [['']],
    [[' ']],
    [['3']],
    [['"3']],
    [["'3'"]],
    [['W/ "3"']],
    [['"3" "4"']],
    [[',']],
    [['"3",x']],
    [['"3" , "4'.replaceAll(' ', ' '.repeat(4_000))]],
    [['*, "3"']],
    [['*', '*']],
    [['"a b"']],
    [['"\u0100"']],
    [[Array.from({ length: 101 }, () => '"3"').join()]],
    [['"'.repeat(9_999)]],
    [['"a",'.repeat(2_500)]],
  ])('of %j is not a list of entity tags', (values) => {
    expect(refusalOf(() => allowedRevisions(values))).toEqual(invalidHeader('If-Match'));
  });
});

describe('the Idempotency-Key', () => {
  it('is optional', () => {
    expect(keyOf([])).toBeUndefined();
  });

  it.each([
    ['a', 'a'],
    ['"a"', 'a'],
    ['!~,;=:', '!~,;=:'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s has the key %s, quoted or bare', (value, key) => {
    expect(keyOf([value])).toBe(key);
  });

  it.each([
    [['']],
    [['""']],
    [[' ']],
    [['a b']],
    [['a\t']],
    [['a\u007f']],
    [['é']],
    [['"a b"']],
    [['x'.repeat(256)]],
    [[`"${'x'.repeat(256)}"`]],
    [['"a']],
    [['"a"b"']],
    [['a', 'a']],
    [['', 'a']],
  ])('%j is rejected', (values) => {
    expect(refusalOf(() => keyOf(values))).toEqual(invalidHeader('Idempotency-Key'));
  });
});
