import { afterAll, describe, expect, it } from 'vitest';
import { changedRecords, expectRefusal } from '../support/api/apiResponses.ts';
import { routeNotFound } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

const origin = 'https://app.example.com';
const items = '/api/v1/api/v1/items';

const api = await startTestApi();
afterAll(() => api.close());

/** A preflight request as browsers send it: without a token, naming the method and headers of the request to come. */
const preflight = (path: string, method: string) =>
  api.send({
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      authorization: undefined,
      'content-type': undefined,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  });

describe.each([
  ['POST', items, 'POST,GET,HEAD'],
  ['GET', items, 'POST,GET,HEAD'],
  ['PUT', `${items}/1`, 'PUT,GET,HEAD'],
  ['GET', `${items}/1`, 'PUT,GET,HEAD'],
  ['HEAD', '/api/v1/api/v1/catalog', 'GET,HEAD'],
] as const)('a preflight for %s %s', (method, path, methods) => {
  it('allows any origin to use the methods of the path and every header that it reads or that libraries send, and writes nothing', async () => {
    const changed = await changedRecords(api, async () => {
      expect(await preflight(path, method)).toEqual({
        status: 204,
        text: '',
        headers: {
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-request-id': expect.any(String),
          'access-control-allow-origin': '*',
          'access-control-allow-methods': methods,
          'access-control-allow-headers':
            'authorization,content-encoding,content-type,idempotency-key,if-match,if-none-match,baggage,sentry-trace,traceparent,tracestate',
          'access-control-max-age': '3600',
        },
      });
    });
    expect(changed).toEqual([]);
  });
});

it('a preflight for an unknown route returns 404, with CORS headers', async () => {
  expectRefusal(await preflight('/api/v1/items', 'POST'), routeNotFound);
});
