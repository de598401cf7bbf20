import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../../support/arbitraries.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf } from '../../support/handlers.ts';
import { memoryCatalog } from '../../support/memoryCatalog.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { sampleItem } from '../../support/sampleItem.ts';

const good = gatewayEvent({ body: '{"name":"Chair"}', id: '7' });
const headersOnly = (headers: unknown) => ({ ...good, headers, multiValueHeaders: null });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const inBase64 = (body: unknown) => ({ ...good, body, isBase64Encoded: true });

/** Answers an event as both operations do, and holds them to a documented answer that tells nothing of the inside. */
async function answer(event: unknown) {
  const memory = memoryCatalog(sampleAccount);
  memory.items.set(sampleItem.id, sampleItem);
  const { create, update } = handlersOf(memory.catalog);
  const answers = [await create(structuredClone(event)), await update(structuredClone(event))];
  for (const { status, body } of answers)
    if (status < 300) expect(body).toEqual({ data: expect.objectContaining({ name: expect.any(String) }) });
    else
      expect(body).toEqual({
        error: {
          message: expect.stringMatching(/^[A-Z].*\.$/),
          code: expect.stringMatching(/^[A-Z_]+$/),
          ...(status === 422 && { fields: expect.any(Array) }),
        },
      });
  return answers.map(({ status }) => status);
}

describe('a hostile event is answered', () => {
  it.each([
    ['null', null, 401],
    ['an empty object', {}, 401],
    ['a text', 'event', 401],
    ['a number', 5, 401],
    ['a list', [], 401],
    ['no request context', { ...good, requestContext: undefined }, 401],
    ['a request context of null', { ...good, requestContext: null }, 401],
    ['no authorizer', { ...good, requestContext: { requestId: 'x' } }, 401],
    ['an authorizer of null', { ...good, requestContext: { authorizer: null } }, 401],
    [
      'numbers for texts in the authorizer',
      { ...good, requestContext: { authorizer: { account: 1, user: 2, permissions: 3, expiresAt: 4 } } },
      401,
    ],
    ['headers of null', { ...good, headers: null, multiValueHeaders: null }, 415],
    ['a list of headers', headersOnly(['application/json']), 415],
    ['a text of headers', headersOnly('application/json'), 415],
    ['a number of headers', headersOnly(5), 415],
    ['a content type that is a number', headersOnly({ 'content-type': 5 }), 415],
    ['a content type that is a list', headersOnly({ 'content-type': ['application/json'] }), 415],
    ['two content types', { ...good, multiValueHeaders: { 'content-type': ['application/json', 'text/plain'] } }, 415],
    [
      'the same content type twice',
      headersOnly({ 'content-type': 'application/json', 'Content-Type': 'application/json' }),
      415,
    ],
    ['300 KB', { ...good, body: `{"name":"${'x'.repeat(300_000)}"}` }, 413],
    ['300 KB in base64', inBase64(Buffer.alloc(300_000, 'x').toString('base64')), 413],
    ['5 MB of junk for base64', inBase64('!'.repeat(5_000_000)), 413],
    ['junk for base64', inBase64('{"name":"Chair"}'), 400],
    ['much junk for base64', inBase64(`${'a'.repeat(300_000)}!`), 400],
    ['base64 of no UTF-8', inBase64('/////w=='), 400],
    ['125,000 nested arrays', { ...good, body: nested(125_000) }, 400],
    ['250,000 open arrays', { ...good, body: '['.repeat(250_000) }, 400],
    ['40,000 open objects', { ...good, body: '{"a":'.repeat(40_000) }, 400],
  ])('with %s', async (_case, event, status) => {
    expect(await answer(event)).toEqual([status, status]);
  });

  it.each([
    ['a body of null', { ...good, body: null }, [422, 400]],
    ['no body', { ...good, body: undefined }, [422, 400]],
    ['an empty body in base64', inBase64(''), [422, 400]],
    ['nested arrays for a name', { ...good, body: `{"name":${nested(125_000)}}` }, [422, 422]],
    ['nested arrays for a unit', { ...good, body: `{"name":"a","unit":${nested(125_000)}}` }, [422, 422]],
    ['nested arrays for a category', { ...good, body: `{"name":"a","category":${nested(125_000)}}` }, [422, 422]],
    ['nested arrays for custom fields', { ...good, body: `{"name":"a","metadata":${nested(125_000)}}` }, [422, 422]],
    [
      'nested arrays in custom fields',
      { ...good, body: `{"name":"a","metadata":{"b":${nested(125_000)}}}` },
      [422, 422],
    ],
    ['nested arrays in an unknown field', { ...good, body: `{"name":"a","b":${nested(125_000)}}` }, [201, 200]],
    [
      '25,000 unknown fields',
      { ...good, body: `{"name":"a"${Array.from({ length: 25_000 }, (_, index) => `,"${index}":0`).join('')}}` },
      [201, 200],
    ],
    ['path parameters of null', { ...good, pathParameters: null }, [201, 404]],
    ['a list of path parameters', { ...good, pathParameters: ['7'] }, [201, 404]],
    ['an id that is an object', { ...good, pathParameters: { id: {} } }, [201, 404]],
    ['an id that no text can be made of', { ...good, pathParameters: { id: { toString: null } } }, [201, 404]],
    [
      'an If-Match that is a number',
      { ...good, multiValueHeaders: { ...good.multiValueHeaders, 'if-match': [3] } },
      [201, 200],
    ],
    ['a request id of null', { ...good, requestContext: { ...good.requestContext, requestId: null } }, [201, 200]],
  ])('with %s', async (_case, event, statuses) => {
    expect(await answer(event)).toEqual(statuses);
  });

  it.each([5, 0, true, false, {}, [], ['{"name":"Chair"}'], { name: 'Chair' }].map((body) => [body]))(
    'with a body that is no text but %j',
    async (body) => {
      expect(await answer({ ...good, body })).toEqual([400, 400]);
      expect(await answer(inBase64(body))).toEqual([400, 400]);
    },
  );

  it('whatever JSON any part of it is', async () => {
    const part = fc.constantFrom(
      'headers',
      'multiValueHeaders',
      'pathParameters',
      'isBase64Encoded',
      'requestContext',
      'httpMethod',
    );
    await fc.assert(
      fc.asyncProperty(part, json, fc.boolean(), async (name, value, inHeader) => {
        const event = inHeader
          ? headersOnly({ ...good.headers, 'if-match': value, origin: value })
          : { ...good, [name]: value };
        for (const status of await answer(event)) expect([200, 201, 400, 401, 403, 404, 412, 415]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });

  it('whatever JSON its body is', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        for (const status of await answer({ ...good, body: JSON.stringify(value) }))
          expect([200, 201, 400, 422]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });
});
