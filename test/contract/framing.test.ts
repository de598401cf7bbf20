import { readFileSync } from 'node:fs';
import { deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../lib/http/operations.ts';
import { type ApiRequest, bearer, create, get, update } from '../support/api/apiRequests.ts';
import { changedRecords, expectItem, expectRefusal, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import * as refusals from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

/** An item of the second account, with an id that the first account does not have. */
let foreignItem: number;

const api = await startTestApi();
// The ids of both accounts count from 1, and the last of these is larger than those of the first account will be.
const foreign = create({ name: 'Chair' }, bearer(api.tokens.otherAccount));
for (let count = 0; count < 20; count += 1)
  foreignItem = expectItem(await api.send(foreign), shownItem({ tax: 2.5 }), 1);
const item = expectItem(await api.send(create({ name: 'Chair' })), shownItem(), 1);

const items = operations.createItem.path;

const unknownRoutes: readonly [method: string, path: string][] = [
  ['POST', '/'],
  ['POST', '/api/v1/items'],
  // API Gateway's ANY covers neither TRACE nor methods that API Gateway does not know.
  ['TRACE', items],
  ['PROPFIND', items],
];
it.each(unknownRoutes)('%s %s returns 404 NOT_FOUND', async (method, path) => {
  await expectRefused(api, { method, path, body: '{"name":"Chair"}' }, refusals.routeNotFound);
});

describe.each([
  ['createItem', items, ['PUT', 'PATCH', 'DELETE']],
  ['updateItem', `${items}/1`, ['POST', 'PATCH', 'DELETE']],
  // No item has that id: until there were batches, the first two were answered 404.
  ['writeItems', `${items}/batch`, ['GET', 'PUT', 'PATCH', 'DELETE']],
] as const)('other methods on the path of %s', (operation, path, methods) => {
  const body = '{"statusCode":200,"name":"Chair"}';
  const tokens = { authorization: undefined };

  it.each(methods)('%s returns 405 and lists the supported methods, without a token', async (method) => {
    const requests = ['application/json', 'Application/JSON; profile=x', undefined].map((type) => ({
      method,
      path,
      body,
      headers: { ...tokens, 'content-type': type },
    }));
    await expectRefused(api, requests, refusals.methodNotAllowed(operation));
  });

  it('return 415 for another media type, and never what the body asks for', async () => {
    const request = { method: 'PATCH', path, body, headers: { ...tokens, 'content-type': 'text/plain' } };
    await expectRefused(api, request, refusals.unsupportedMediaType);
  });
});

describe('an id in the path', () => {
  const malformed = ['abc', '%00', '%zz'];
  const cases: readonly [string, () => number | string][] = [
    ...malformed.map((id): [string, () => string] => [id, () => id]),
    ['of a missing item', () => 9_007_199_254_740_991],
    ['of an item of another account', () => foreignItem],
  ];

  it.each(cases)('%s returns 404 ITEM_NOT_FOUND', async (_, id) => {
    await expectRefused(api, [update(id(), { name: 'Chair' }), get(id())], refusals.itemNotFound);
  });
});

/** A body of exactly this size, most of it in the field that may be longest. */
const bodyOf = (bytes: number): string => {
  const [start, end] = ['{"name":"Chair","description":"', '"}'];
  return start + 'x'.repeat(bytes - start.length - end.length) + end;
};
const bodies: readonly [string, string | Buffer, refusals.Refusal][] = [
  ['256 KiB and a byte', bodyOf(256 * 1024 + 1), refusals.tooLarge],
  ['256 KiB, which is read', bodyOf(256 * 1024), refusals.invalid('description')],
  ['invalid UTF-8', Buffer.from('{"name":"\xFF"}', 'latin1'), refusals.invalidJson],
];

/** Without any field, a create lacks the name and an update has nothing to do (spec 4.2 rule 7). */
const withoutAnyField = '{"Name":"a","__proto__":{"name":"a","value":1}}';

const writes: readonly [
  string,
  (...parts: Parameters<typeof create>) => ApiRequest,
  withoutFields: refusals.Refusal,
][] = [
  ['create', create, refusals.invalid('name')],
  ['update', (...parts) => update(item, ...parts), refusals.nothingToUpdate],
];

describe.each(writes)('%s', (_operation, request, withoutFields) => {
  it('with the same Content-Type twice returns 415', async () => {
    const type = ['application/json', 'application/json'];
    await expectRefused(api, request('{"name":"Chair"}', { 'content-type': type }), refusals.unsupportedMediaType);
  });

  const titled = bodies.map(([title, body, refusal]) => [title, refusal.status, body, refusal] as const);
  it.each(titled)('with a body of %s returns %d', async (_title, _status, body, refusal) => {
    await expectRefused(api, request(body), refusal);
  });

  it(`with a body of only unknown fields returns ${withoutFields.code}`, async () => {
    await expectRefused(api, request(withoutAnyField), withoutFields);
  });

  it(`with neither body nor Content-Type returns ${withoutFields.code}`, async () => {
    await expectRefused(api, request('', { 'content-type': undefined }), withoutFields);
  });
});

describe('create and update accept', () => {
  it('any spelling of the Content-Type', async () => {
    const headers = { 'content-type': 'APPLICATION/JSON; profile="https://example.com/?a;b"; charset=utf-8' };
    const id = expectItem(await api.send(create({ name: 'Chair' }, headers)), shownItem(), 1);
    expectItem(await api.send(update(id, { value: 1 }, headers)), shownItem({ value: 1 }), 2);
  });
});

const [gzip, deflate] = [{ 'content-encoding': 'gzip' }, { 'content-encoding': 'deflate' }];
const anonymous = { ...gzip, authorization: undefined };

describe('a compressed request body', () => {
  it.each([
    ['gzip', gzip, gzipSync],
    ['deflate', deflate, deflateSync],
  ] as const)('is accepted in %s', async (_, headers, pack) => {
    const id = expectItem(await api.send(create(pack('{"name":"Chair"}'), headers)), shownItem(), 1);
    expectItem(await api.send(update(id, pack('{"value":1}'), headers)), shownItem({ value: 1 }), 2);
  });

  const description = (bytes: number) => `{"name":"Chair","description":"${'x'.repeat(bytes - 33)}"}`;
  const refused: [string, Buffer, ApiRequest['headers'], refusals.Refusal][] = [
    ['256 KiB and a byte, unpacked', gzipSync(description(256 * 1024 + 1)), gzip, refusals.tooLarge],
    [
      'bytes that are not compressed, and no token',
      Buffer.from('{"name":"Chair"}'),
      anonymous,
      refusals.unsupportedMediaType,
    ],
    [
      'a coding that is not supported',
      Buffer.from('{"name":"Chair"}'),
      { 'content-encoding': 'br' },
      refusals.unsupportedMediaType,
    ],
    ['no header', gzipSync('{"name":"Chair"}'), {}, refusals.invalidJson],
    ['no token', gzipSync('{"name":"Chair"}'), anonymous, refusals.unauthorized],
  ];

  it.each(refused.map(([title, body, headers, refusal]) => [title, refusal.status, body, headers, refusal] as const))(
    'of %s returns %d',
    async (_title, _status, body, headers, refusal) => {
      await expectRefused(api, [create(body, headers), update(item, body, headers)], refusal);
    },
  );
});

const chair = { name: 'Chair' };

describe('If-Match on an item at revision 2', () => {
  let item: number;
  beforeAll(async () => {
    item = expectItem(await api.send(create({ ...chair, sku: 'GUARDED' })), shownItem({ sku: 'GUARDED' }), 1);
    expectItem(await api.send(update(item, { value: 2 })), shownItem({ sku: 'GUARDED', value: 2 }), 2);
  });

  const malformed = refusals.invalidHeader('If-Match');
  const outdated = refusals.preconditionFailed(shownItem({ sku: 'GUARDED', value: 2 }), 2);
  const refused: readonly [string, string | readonly string[], refusals.Refusal][] = [
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
    await expectRefused(api, update(item, { value: 3 }, headers), refusals.preconditionFailed(withoutCost, 2));
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

const outsidePaths = documented.filter(({ place }) => place !== 'path');
it.each(outsidePaths)('$method $path reads $name, as documented', async ({ method, path, name, place }) => {
  const query = place === 'query' ? `?${name}=%00` : '';
  const headers = place === 'header' ? { [name]: '"' } : {};
  const body = method === 'GET' ? '' : '{"name":"Desk"}';
  const { status, text } = await api.send({ method, path: path.replace('{id}', '1') + query, headers, body });
  expect([status, text]).toEqual([
    place === 'query' ? 422 : 400,
    expect.stringMatching(`Invalid (field|header): ${name}`),
  ]);
  expect(text).not.toContain('is not a parameter');
});

const origin = 'https://app.example.com';

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
  expectRefusal(await preflight('/api/v1/items', 'POST'), refusals.routeNotFound);
});
