import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../../support/arbitraries.ts';
import { fakeStore } from '../../support/fakeStore.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf, readersOf } from '../../support/handlers.ts';
import { sampleItem } from '../../support/sampleItem.ts';

const good = gatewayEvent({ body: '{"name":"Chair"}', id: '7' });
const headersOnly = (headers: unknown) => ({ ...good, headers, multiValueHeaders: null });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const inBase64 = (body: unknown) => ({ ...good, body, isBase64Encoded: true });

/** The status that create and update return for an event, after checking that their bodies have a documented shape. */
async function statusesOf(event: unknown) {
  const { create, update } = handlersOf(fakeStore([sampleItem]).openStore);
  const responses = [await create(structuredClone(event)), await update(structuredClone(event))];
  for (const { status, body } of responses)
    if (status < 300) expect(body).toEqual({ data: expect.objectContaining({ name: expect.any(String) }) });
    else
      expect(body).toEqual({
        error: {
          message: expect.stringMatching(/^[A-Z].*\.$/),
          code: expect.stringMatching(/^[A-Z_]+$/),
          ...(status === 422 && { fields: expect.any(Array) }),
        },
      });
  return responses.map(({ status }) => status);
}

describe('create and update return a documented response to an event', () => {
  it.each([
    ['null', null, 401],
    ['an empty object', {}, 401],
    ['a string', 'event', 401],
    ['a number', 5, 401],
    ['an array', [], 401],
    ['no request context', { ...good, requestContext: undefined }, 401],
    ['a request context of null', { ...good, requestContext: null }, 401],
    ['no authorizer', { ...good, requestContext: { requestId: 'x' } }, 401],
    ['an authorizer of null', { ...good, requestContext: { authorizer: null } }, 401],
    [
      'numbers instead of strings in the authorizer',
      { ...good, requestContext: { authorizer: { account: 1, user: 2, permissions: 3, expiresAt: 4 } } },
      401,
    ],
    ['headers of null', { ...good, headers: null, multiValueHeaders: null }, 415],
    ['an array of headers', headersOnly(['application/json']), 415],
    ['a string instead of headers', headersOnly('application/json'), 415],
    ['a number instead of headers', headersOnly(5), 415],
    ['a content type that is a number', headersOnly({ 'content-type': 5 }), 415],
    ['a content type that is an array', headersOnly({ 'content-type': ['application/json'] }), 415],
    ['two content types', { ...good, multiValueHeaders: { 'content-type': ['application/json', 'text/plain'] } }, 415],
    [
      'the same content type twice',
      headersOnly({ 'content-type': 'application/json', 'Content-Type': 'application/json' }),
      415,
    ],
    ['300 KB', { ...good, body: `{"name":"${'x'.repeat(300_000)}"}` }, 413],
    ['300 KB in base64', inBase64(Buffer.alloc(300_000, 'x').toString('base64')), 413],
    ['5 MB that is not base64', inBase64('!'.repeat(5_000_000)), 413],
    ['JSON that is not in base64', inBase64('{"name":"Chair"}'), 400],
    ['base64 without padding', inBase64('e30'), 400],
    ['base64 with a stray character', inBase64('e30*'), 400],
    ['only padding', inBase64('===='), 400],
    ['300 KB that is almost base64', inBase64(`${'a'.repeat(300_000)}!`), 400],
    ['base64 of invalid UTF-8', inBase64('/////w=='), 400],
    ['125,000 nested arrays', { ...good, body: nested(125_000) }, 400],
    ['250,000 unclosed arrays', { ...good, body: '['.repeat(250_000) }, 400],
    ['40,000 unclosed objects', { ...good, body: '{"a":'.repeat(40_000) }, 400],
  ])('with %s', async (_case, event, status) => {
    expect(await statusesOf(event)).toEqual([status, status]);
  });

  it.each([
    ['a body of null', { ...good, body: null }, [422, 400]],
    ['no body', { ...good, body: undefined }, [422, 400]],
    ['an empty body in base64', inBase64(''), [422, 400]],
    ['a good body in base64', inBase64(Buffer.from('{"name":"Chair"}').toString('base64')), [201, 200]],
    ['nested arrays as the name', { ...good, body: `{"name":${nested(125_000)}}` }, [422, 422]],
    ['nested arrays as the unit', { ...good, body: `{"name":"a","unit":${nested(125_000)}}` }, [422, 422]],
    ['nested arrays as the category', { ...good, body: `{"name":"a","category":${nested(125_000)}}` }, [422, 422]],
    ['nested arrays as the metadata', { ...good, body: `{"name":"a","metadata":${nested(125_000)}}` }, [422, 422]],
    [
      'nested arrays in the metadata',
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
    ['an array of path parameters', { ...good, pathParameters: ['7'] }, [201, 404]],
    ['an id that is an object', { ...good, pathParameters: { id: {} } }, [201, 404]],
    ['an id that cannot become a string', { ...good, pathParameters: { id: { toString: null } } }, [201, 404]],
    [
      'an If-Match that is a number',
      { ...good, multiValueHeaders: { ...good.multiValueHeaders, 'if-match': [3] } },
      [201, 200],
    ],
    ['a request id of null', { ...good, requestContext: { ...good.requestContext, requestId: null } }, [201, 200]],
  ])('with %s', async (_case, event, statuses) => {
    expect(await statusesOf(event)).toEqual(statuses);
  });

  it.each([5, 0, true, false, {}, [], ['{"name":"Chair"}'], { name: 'Chair' }].map((body) => [body]))(
    'with %j instead of a body',
    async (body) => {
      expect(await statusesOf({ ...good, body })).toEqual([400, 400]);
      expect(await statusesOf(inBase64(body))).toEqual([400, 400]);
    },
  );

  it('with any JSON in any part of it', async () => {
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
        for (const status of await statusesOf(event))
          expect([200, 201, 400, 401, 403, 404, 412, 415]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });

  it('with any JSON as its body', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        for (const status of await statusesOf({ ...good, body: JSON.stringify(value) }))
          expect([200, 201, 400, 422]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the read operations return a documented response to an event', () => {
  const { get, list, catalog } = readersOf(fakeStore([sampleItem]).openStore);
  const statuses = async (event: unknown) =>
    Promise.all([get, list, catalog].map(async (read) => (await read(structuredClone(event))).status));

  it('with any parameters, path, headers and body', async () => {
    const part = fc.option(json, { nil: undefined });
    const parts = {
      queryStringParameters: part,
      multiValueQueryStringParameters: part,
      pathParameters: part,
      headers: part,
      multiValueHeaders: part,
      body: part,
    };
    await fc.assert(
      fc.asyncProperty(fc.record(parts, { requiredKeys: [] }), async (changed) => {
        for (const status of await statuses({ ...good, ...changed })) expect([200, 401, 404, 422]).toContain(status);
      }),
    );
  });

  it('without an identified caller', async () => {
    for (const event of [null, {}, 'event', { ...good, requestContext: null }])
      expect(await statuses(event)).toEqual([401, 401, 401]);
  });
});
