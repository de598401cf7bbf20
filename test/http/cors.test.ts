import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, create, update } from './requests.ts';
import { expectItem, expectRefusal, shownItem } from './responses.ts';
import { type ApiResponse, startTestCatalog, type TestCatalog } from './testCatalog.ts';

const origin = 'https://app.example.com';
const items = '/api/v1/api/v1/items';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await startTestCatalog();
});
afterAll(() => catalog.close());

/** Asks as a browser does before it sends a page's request: without a token, and naming what it would send. */
const ask = (path: string, method: string, headers = 'authorization,content-type') =>
  catalog.send({
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      authorization: undefined,
      'content-type': undefined,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  });

const listed = (response: ApiResponse, header: string): string[] => (response.headers[header] ?? '').split(',');

describe.each([
  ['POST', items],
  ['PUT', `${items}/1`],
] as const)('a preflight for %s %s', (method, path) => {
  it('lets any page send the request, with all headers that the API reads', async () => {
    const answer = await ask(path, method);
    expect(answer).toEqual({
      status: 204,
      text: '',
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        'access-control-allow-origin': '*',
        'access-control-allow-methods': method,
        'access-control-allow-headers': 'authorization,content-type,idempotency-key,if-match',
        'access-control-max-age': '3600',
      },
    });
  });

  it('lets it send nothing else', async () => {
    const answer = await ask(path, 'DELETE', 'x-account-id');
    expect(listed(answer, 'access-control-allow-methods')).not.toContain('DELETE');
    expect(listed(answer, 'access-control-allow-headers')).not.toContain('x-account-id');
  });

  it('writes nothing', async () => {
    const before = await catalog.stored();
    await ask(path, method);
    expect(await catalog.stored()).toEqual(before);
  });
});

it('a preflight for an unknown route is refused, readably', async () => {
  expectRefusal(await ask('/api/v1/items', 'POST'), { status: 404, code: 'NOT_FOUND' });
});

describe('a page of another origin may read', () => {
  // The assertions on responses are whole, their access-control headers included.
  it('items, their entity tags and addresses', async () => {
    const created = await catalog.send(create({ name: 'Chair' }, { origin }));
    const id = expectItem(created, shownItem(), 1);
    expectItem(await catalog.send(update(id, { value: 1 }, { origin })), shownItem({ value: 1 }), 2);
    expect(listed(created, 'access-control-expose-headers')).toEqual(
      expect.arrayContaining(['etag', 'location', 'retry-after', 'x-request-id']),
    );
  });

  it.each([
    ['by a function', () => create({ name: '' }, { origin }), { status: 422, code: 'VALIDATION_FAILED' }],
    [
      'for want of a token',
      () => create({}, { origin, authorization: undefined }),
      { status: 401, code: 'UNAUTHORIZED' },
    ],
    [
      'for want of a permission',
      () => create({}, { origin, ...bearer(catalog.tokens.reader) }),
      { status: 403, code: 'FORBIDDEN' },
    ],
    ['for its route', () => ({ method: 'GET', path: items, headers: { origin } }), { status: 404, code: 'NOT_FOUND' }],
    [
      'for its size',
      () => create(Buffer.alloc(10 * 1024 * 1024 + 1), { origin }),
      { status: 413, code: 'PAYLOAD_TOO_LARGE' },
    ],
  ] as const)('why a request is refused %s', async (_, request, { status, code }) => {
    const answer = await catalog.send(request());
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([status, code]);
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' });
  });
});
