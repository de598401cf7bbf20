import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { bearer, create, update } from '../support/api/apiRequests.ts';
import { changedRecords, expectItem, expectRefusal, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { invalidHeader, preconditionFailed, type Refusal, routeNotFound } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

const api = await startTestApi();

const chair = { name: 'Chair' };

describe('If-Match on an item at revision 2', () => {
  let item: number;
  beforeAll(async () => {
    item = expectItem(await api.send(create({ ...chair, sku: 'GUARDED' })), shownItem({ sku: 'GUARDED' }), 1);
    expectItem(await api.send(update(item, { value: 2 })), shownItem({ sku: 'GUARDED', value: 2 }), 2);
  });

  const malformed = invalidHeader('If-Match');
  const outdated = preconditionFailed(shownItem({ sku: 'GUARDED', value: 2 }), 2);
  const refused: readonly [string, string | readonly string[], Refusal][] = [
    ['an older revision', '"1"', outdated],
    ['two headers with other revisions', ['"1"', '"3"'], outdated],
    ['nonsense', 'abc', malformed],
  ];

  it.each(refused)('%s rejects the update', async (_, value, refusal) => {
    const headers = { 'if-match': value };
    // Removing an identifier takes a transaction.
    const bodies = [{ name: 'Table' }, { name: 'Table', sku: null }];
    await expectRefused(
      api,
      bodies.map((body) => update(item, body, headers)),
      refusal,
    );
  });

  it('returns only what this caller may see of the item', async () => {
    const { cost: _, ...withoutCost } = shownItem({ sku: 'GUARDED', value: 2 });
    const headers = { 'if-match': '"1"', ...bearer(api.tokens.editorWithoutCost) };
    await expectRefused(api, update(item, { value: 3 }, headers), preconditionFailed(withoutCost, 2));
  });
});

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const parametersOf = (operation: { parameters: { $ref?: string; name: string; in: string }[] }) =>
  operation.parameters.map(({ $ref = '', ...own }) => components.parameters[$ref.split('/').pop() ?? ''] ?? own);
const documented = Object.entries<object>(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    parametersOf(operation).map(({ name, in: place }) => ({ method: method.toUpperCase(), path, name, place })),
  ),
);

it.each(documented.filter(({ place }) => place !== 'path'))(
  '$method $path reads $name, which the contract documents',
  async ({ method, path, name, place }) => {
    const query = place === 'query' ? `?${name}=%00` : '';
    const headers = place === 'header' ? { [name]: '"' } : {};
    const body = method === 'GET' ? '' : '{"name":"Desk"}';
    const { status, text } = await api.send({ method, path: path.replace('{id}', '1') + query, headers, body });
    expect([status, text]).toEqual([
      place === 'query' ? 422 : 400,
      expect.stringMatching(`Invalid (field|header): ${name}`),
    ]);
    expect(text).not.toContain('is not a parameter');
  },
);

const origin = 'https://app.example.com';
const items = '/api/v1/api/v1/items';

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
  it('allows any origin the methods of the path and each header that it reads or libraries send', async () => {
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
