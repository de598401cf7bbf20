import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCategory, createUnit, updateCategory, updateDefaults } from '../../client/items/configureCatalog.ts';
import { createItem } from '../../client/items/createItem.ts';
import { followChanges, latestCursor, listItemChanges, startOfCopy } from '../../client/items/followChanges.ts';
import { ItemSearch } from '../../client/items/itemSearch.ts';
import { listItems, loadItem, loadItems, loadPage } from '../../client/items/readItems.ts';
import { saveItem } from '../../client/items/saveItem.ts';
import { importRows } from '../../client/public/importRows.ts';
import {
  type Catalog,
  type Client,
  createCatalogClient,
  type Item,
  loadCatalog,
  messagesOf,
  type RequestOptions,
  type TokenRequest,
} from '../../client/public/index.ts';
import { preview, undo } from '../../client/undo/undoChanges.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';
import { hurry } from '../support/time/hurry.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Whom the catalog names. */
const editor = { account: 'demo-1', user: 'editor' };
const item = { id: 1, revision: 1, value: 0, metadata: {} } as Item;

/** A client whose requests are answered by a function, instead of the service. */
function clientOf(answer: (request: Request, number: number) => Response | Promise<Response>) {
  const sent: Request[] = [];
  const send = async (request: Request) => answer(request, sent.push(request));
  return {
    sent,
    client: createCatalogClient({
      baseUrl: 'http://catalog.test',
      getAccessToken: async () => `token ${sent.length + 1}`,
      fetch: send,
    }),
  };
}
const body = { name: 'Chair' };
const text = (status: number, answered: string | null, headers = {}) => new Response(answered, { status, headers });
const busy = (headers = {}, status = 503) =>
  Response.json({ error: { code: 'BUSY', message: 'Busy' } }, { status, headers });

describe('an answer that is not the service’s', () => {
  const failures = [
    ['a gateway’s JSON', 403, '{"message":"Forbidden"}', 403],
    ['a problem document', 404, '{"title":"Blocked"}', 404],
    ['an error without a code', 500, '{"error":{"message":"Down"}}', 500],
    ['an error with a number', 400, '{"error":{"code":400,"message":"Bad"}}', 400],
    ['fields that are no list', 422, '{"error":{"code":"X","message":"Bad","fields":{}}}', 422],
    ['a gateway that has waited', 408, '', 408],
    ['HTML', 502, '<html>', 502],
    ['nothing', 504, '', 504],
    ['null', 500, 'null', 500],
    ['a cache’s 304', 304, null, 502],
    ['a sign-in page', 200, '<html>', 502],
    ['another success', 200, '{"status":"ok"}', 502],
    ['data that is a text', 200, '{"data":"maintenance"}', 502],
    ['an empty success', 200, '', 502],
    ['a success without a body', 204, null, 502],
  ] as const;
  it.each(failures)('is an error with a status and a code: %s, %i', async (_, status, answered, shown) => {
    const { client: behind } = clientOf(() => text(status, answered, { 'x-request-id': 'of a proxy' }));
    const expected = { name: 'RequestError', status: shown, code: 'UNEXPECTED_RESPONSE', requestId: null };
    await expect(loadCatalog(behind)).rejects.toMatchObject(expected);
    await expect(loadItem(behind, 1)).rejects.toMatchObject(expected);
    const error = await updateDefaults(behind, { tax: 0 }).catch((thrown) => thrown);
    expect(messagesOf(error)).toEqual({ form: `The request failed with status ${shown}.`, inputs: {} });
    const pending = memoryStorage();
    await expect(createItem(behind, body, { catalog: editor, storage: pending })).rejects.toMatchObject(expected);
    const mayBeDone = shown === 408 || shown >= 500;
    expect(pending.saved.size).toBe(mayBeDone ? 1 : 0);
  });

  it.each([301, 302, 303, 307, 308])('is no redirect of a write, which could become a read: %i', async (status) => {
    const server = createServer(({ url }, response) => {
      if (url === '/new') return response.end('{"data":{"account":"moved"}}');
      return response.writeHead(status, { location: '/new' }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const behind = createCatalogClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      getAccessToken: async () => '',
    });
    expect(await loadCatalog(behind)).toEqual({ account: 'moved' });
    const written = await behind.POST('/api/v1/api/v1/items', { body });
    expect([written.response.status, written.error?.error.code]).toEqual([status, 'UNEXPECTED_RESPONSE']);
    server.close();
  });

  it('is a redirect of a write also where browsers hide its status', async () => {
    const hidden = {
      ...{ type: 'opaqueredirect', status: 0, ok: false, headers: new Headers() },
      text: async () => '',
    };
    const { client: behind } = clientOf(() => hidden as Response);
    expect((await behind.POST('/api/v1/api/v1/items', { body })).response.status).toBe(302);
  });
});

describe('a request is repeated', () => {
  const [items, one] = ['/api/v1/api/v1/items', '/api/v1/api/v1/items/{id}'] as const;
  const path = { id: 1 };
  const key = { 'Idempotency-Key': 'key' };
  const requests: [string, boolean, (of: Client) => Promise<unknown>][] = [
    ['a read', true, (of) => of.GET(items)],
    ['a create', false, (of) => of.POST(items, { body })],
    ['a create with a key', true, (of) => of.POST(items, { body, params: { header: key } })],
    ['a batch', false, (of) => of.POST('/api/v1/api/v1/items/batch', { body: { rows: [] } })],
    ['an update', false, (of) => of.PUT(one, { body, params: { path } })],
    ['an update of any revision', false, (of) => of.PUT(one, { body, params: { path, header: { 'If-Match': '*' } } })],
    ['an update of a revision', true, (of) => of.PUT(one, { body, params: { path, header: { 'If-Match': '"3"' } } })],
    ['an update with a key', true, (of) => of.PUT(one, { body, params: { path, header: key } })],
    ['a new category', false, (of) => of.POST('/api/v1/api/v1/catalog/categories', { body })],
    ['a new unit', false, (of) => createUnit(of, { unit: 'm', decimals: 0 })],
    ['a category', true, (of) => updateCategory(of, { id: 1, ...body })],
    ['the defaults', true, (of) => updateDefaults(of, { tax: 0 })],
  ];
  it.each(requests)('after 503 only if that is safe, after 429 always, four times: %s', async (_, isSafe, act) => {
    hurry();
    const times = { 503: isSafe ? 5 : 1, 429: 5, 500: 1, 502: 1, 504: 1 };
    for (const [status, expected] of Object.entries(times)) {
      const { client: of, sent } = clientOf(() => busy({ 'retry-after': '1' }, Number(status)));
      const answer = await act(of).catch((error) => ({ response: error }));
      expect(answer).toMatchObject({ response: { status: Number(status) } });
      expect(sent).toHaveLength(expected);
      const tokens = sent.map(({ headers }) => headers.get('authorization'));
      expect(tokens).toEqual(sent.map((_, index) => `Bearer token ${index + 1}`));
      expect(new Set(await Promise.all(sent.map((one) => one.text()))).size).toBe(1);
    }
  });

  it.each([
    [undefined, [1, 2, 3, 4]],
    ['0', [1, 2, 3, 4]],
    ['3', [3, 3, 3, 4]],
    ['59', [59, 59, 59, 59]],
    ['2592000', [60, 60, 60, 60]],
    ['soon', [1, 2, 3, 4]],
    [new Date(Date.now() - 9_000).toUTCString(), [1, 2, 3, 4]],
    [new Date(Date.now() + 9_000_000).toUTCString(), [60, 60, 60, 60]],
  ])('after the seconds that are asked for (retry-after: %s), up to a minute, never at once', async (asked, least) => {
    const waits = hurry();
    // A proxy's, because an answer in another form asks for as much.
    const { client: of } = clientOf(() => text(503, '<html>', asked === undefined ? {} : { 'retry-after': asked }));
    await of.GET(items);
    expect(waits).toHaveLength(4);
    for (const [index, seconds] of least.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(waits[index]).toBeLessThanOrEqual(Math.min(60, seconds * 1.5) * 1_000);
    }
  });

  it('never after a success, nor after a sleep, when its key may protect it no longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    hurry(() => vi.setSystemTime(Date.now() + 24 * 3_600_000));
    const success = clientOf(() => Response.json({ data: [] }, { headers: { 'retry-after': '1' } }));
    await success.client.POST(items, { body });
    const asleep = clientOf(() => busy());
    const created = createItem(asleep.client, body, { catalog: editor, storage: memoryStorage() });
    await expect(created).rejects.toMatchObject({ status: 503 });
    expect([success.sent.length, asleep.sent.length]).toEqual([1, 1]);
  });
});

describe('an access token', () => {
  const refused = () => busy({}, 401);
  /** A client whose service takes only the newest token, and whose team can renew it. */
  function renewable(renew: (request: TokenRequest) => Promise<string>) {
    const asked: TokenRequest[] = [];
    let token = 'old';
    const of = createCatalogClient({
      baseUrl: 'http://catalog.test',
      getAccessToken: async (request) => {
        asked.push(request);
        if (request.refused === token) token = await renew(request);
        return token;
      },
      fetch: async ({ headers }) =>
        headers.get('authorization') === 'Bearer old' ? refused() : Response.json({ data: { token } }),
    });
    return { asked, of, renewals: () => asked.filter((request) => request.refused !== undefined) };
  }

  it('that is refused is renewed once for all requests, each of which is then sent once more', async () => {
    const { of, renewals } = renewable(async () => {
      await pause(10);
      return 'new';
    });
    const answers = await Promise.all([1, 2, 3].map(() => loadCatalog(of)));
    expect(answers).toEqual([1, 2, 3].map(() => ({ token: 'new' })));
    expect(renewals()).toEqual([{ refused: 'old', background: false }]);
  });

  it('is not renewed again for an answer that comes after the renewal', async () => {
    const late = Promise.withResolvers<Response>();
    const [asked, sent]: [TokenRequest[], string[]] = [[], []];
    const of = createCatalogClient({
      baseUrl: 'http://catalog.test',
      getAccessToken: async (request) => {
        asked.push(request);
        return request.refused === undefined && asked.length === 1 ? 'old' : 'new';
      },
      fetch: async ({ headers }) => {
        sent.push(headers.get('authorization') ?? '');
        if (sent.length === 1) return late.promise;
        return sent.length === 2 ? refused() : Response.json({ data: {} });
      },
    });
    const both = Promise.all([loadCatalog(of), loadCatalog(of)]);
    await vi.waitUntil(() => sent.length === 3);
    late.resolve(refused());
    await both;
    expect(sent).toEqual(['Bearer old', 'Bearer old', 'Bearer new', 'Bearer new']);
    expect(asked.filter((request) => request.refused !== undefined)).toHaveLength(1);
  });

  it.each([
    ['stays the same', async () => 'old'],
    ['fails', async () => Promise.reject(new Error('The session has ended'))],
  ])('whose renewal %s leaves the refusal as it is, and is not asked for again by those requests', async (_, renew) => {
    const { of, renewals } = renewable(renew);
    for (const answer of await Promise.allSettled([loadCatalog(of), loadCatalog(of)]))
      expect(answer).toMatchObject({ status: 'rejected', reason: { status: 401 } });
    expect(renewals()).toHaveLength(1);
  });

  it.each([
    ['a text', 'No current user', 401, 'No current user'],
    ['no message', { error: 'login_required' }, 401, 'There is no access token. Sign in again.'],
    ['nothing', undefined, 401, 'There is no access token. Sign in again.'],
    ['a defect', new TypeError("Cannot read properties of null (reading 'token')"), 401, /reading 'token'/],
    ['no network', new TypeError('Falha ao carregar'), 0, 'There was no answer. Try again.'],
  ])('that cannot be had is a refusal, unless there is no network: %s', async (_, thrown, status, message) => {
    const of = createCatalogClient({ baseUrl: 'http://catalog.test', getAccessToken: () => Promise.reject(thrown) });
    const code = status === 401 ? 'UNAUTHORIZED' : 'NO_ANSWER';
    await expect(loadCatalog(of)).rejects.toMatchObject({ status, code, message: expect.stringMatching(message) });
  });

  it('opens a sign-in for a user who waits, although a poll is refused just then, and never for a poll', async () => {
    const [late, renewal] = [Promise.withResolvers<Response>(), Promise.withResolvers<string>()];
    const renewals: TokenRequest[] = [];
    const of = createCatalogClient({
      baseUrl: 'http://catalog.test',
      getAccessToken: async (request) => {
        if (request.refused === undefined) return 'old';
        renewals.push(request);
        return request.background ? renewal.promise : 'new';
      },
      fetch: async ({ url, headers }) => {
        if (headers.get('authorization') === 'Bearer new') return Response.json({ data: {} });
        return url.endsWith('/catalog') ? late.promise : refused();
      },
    });
    const loaded = loadCatalog(of);
    const ended = new AbortController();
    const polled = followChanges(of, 'cursor', { signal: ended.signal }).next();
    await vi.waitUntil(() => renewals.length > 0);
    late.resolve(refused());
    await pause(10);
    renewal.resolve('old');
    await loaded;
    expect(renewals.map(({ background }) => background)).toEqual([true, false]);
    ended.abort();
    await polled.catch(() => undefined);
  });

  it('that nobody gives is asked for again after a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const asked = vi.fn(() => new Promise<string>(() => undefined));
    const of = createCatalogClient({ baseUrl: 'http://catalog.test', getAccessToken: asked });
    for (const [after, times] of [
      [0, 1],
      [59_000, 1],
      [2_000, 2],
    ] as const) {
      vi.setSystemTime(Date.now() + after);
      await expect(loadCatalog(of, { timeout: 5 })).rejects.toMatchObject({
        code: 'NO_ANSWER',
        cause: { name: 'TimeoutError' },
      });
      expect(asked).toHaveBeenCalledTimes(times);
    }
  });
});

it('a read is repeated with keepalive, so that React on a server does not answer it from memory', async () => {
  hurry();
  const { client: of, sent } = clientOf(() => busy());
  await of.GET('/api/v1/api/v1/catalog');
  await of.POST('/api/v1/api/v1/items', { body, params: { header: { 'Idempotency-Key': 'key' } } });
  expect(sent.map(({ keepalive }) => keepalive)).toEqual([false, true, true, true, true, ...Array(5).fill(false)]);
});

describe('a call ends', () => {
  const [storage, target] = [memoryStorage(), { users: [], from: new Date(0), to: new Date(1) }];
  const loops: [string, (of: Client) => AsyncGenerator<unknown>][] = [
    ['followChanges', (of) => followChanges(of, 'cursor')],
    ['importRows', (of) => importRows(of, [body, body], { storage })],
    ['undo', (of) => undo(of, target, { storage })],
  ];
  it.each(loops)('with what will not pass: %s', async (_, act) => {
    const { client: of, sent } = clientOf(({ url }) =>
      url.endsWith('/catalog') ? Response.json({ data: editor }) : text(403, '{"message":"Forbidden"}'),
    );
    await expect(Array.fromAsync(act(of))).rejects.toMatchObject({ name: 'RequestError', status: 403 });
    expect(sent.length).toBeLessThan(4);
  });

  const hung = () => new Promise<never>(() => undefined);
  const noBody = () => new Response(new ReadableStream());
  const calls: [string, (of: Client, options: RequestOptions) => Promise<unknown>][] = [
    ['loadCatalog', (of, options) => loadCatalog(of, options)],
    ['createCategory', (of, options) => createCategory(of, body, { ...options, catalog: {} as Catalog })],
    ['updateCategory', (of, options) => updateCategory(of, { id: 1, ...body }, options)],
    ['createUnit', (of, options) => createUnit(of, { unit: 'm', decimals: 0 }, options)],
    ['updateDefaults', (of, options) => updateDefaults(of, {}, options)],
    ['createItem', (of, options) => createItem(of, body, { catalog: editor, storage: memoryStorage(), ...options })],
    ['loadItem', (of, options) => loadItem(of, 1, options)],
    ['loadItems', (of, options) => loadItems(of, [1], options)],
    ['loadPage', (of, options) => loadPage(of, {}, options)],
    ['listItems', (of, options) => listItems(of, { search: 'oak' }, options).next()],
    ['saveItem', (of, options) => saveItem(of, { item, changes: body, key: 'key' }, options)],
    ['startOfCopy', (of, options) => startOfCopy(of, options)],
    ['latestCursor', (of, options) => latestCursor(of, options)],
    ['listItemChanges', (of, options) => listItemChanges(of, 1, options).next()],
    ['find', (of, options) => new ItemSearch(of, options).find('')],
    ['load', (of, options) => new ItemSearch(of, options).load()],
    ['preview', (of, options) => preview(of, target, options)],
    ['the client', (of, options) => of.GET('/api/v1/api/v1/catalog', { ...options, signal: options.signal ?? null })],
  ];
  it('of an import only when its signal is aborted, however long nobody answers', async () => {
    const left = new AbortController();
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => void (failures.push(error) === 2 && left.abort());
    const { client: of } = clientOf(hung);
    const options = { storage, timeout: 5, interval: 0, signal: left.signal, onFailure };
    expect(await importRows(of, [body], options).next()).toEqual({ done: true, value: undefined });
    expect(failures).toMatchObject([{ code: 'NO_ANSWER' }, { code: 'NO_ANSWER' }]);
  });

  it.each(calls)('when nobody answers in time, and when its signal is aborted: %s', async (_, act) => {
    for (const answer of [hung, noBody]) {
      const { client: of } = clientOf(answer);
      await expect(act(of, { timeout: 5 })).rejects.toMatchObject({
        code: 'NO_ANSWER',
        cause: { name: 'TimeoutError' },
      });
      const left = new AbortController();
      setTimeout(() => left.abort(new Error('Left')), 5);
      await expect(act(of, { signal: left.signal, timeout: 2 ** 40 })).rejects.toThrow('Left');
    }
  });

  it('while it waits for a token, and then sends nothing', async () => {
    const [token, sent] = [Promise.withResolvers<string>(), vi.fn()];
    const of = createCatalogClient({
      baseUrl: 'http://catalog.test',
      getAccessToken: () => token.promise,
      fetch: sent,
    });
    await expect(createUnit(of, { unit: 'm', decimals: 0 }, { timeout: 5 })).rejects.toMatchObject({
      code: 'NO_ANSWER',
    });
    token.resolve('late');
    await pause(20);
    expect(sent).not.toHaveBeenCalled();
  });
});

it('an undo reads changes from 10 minutes before the target, because clocks of the service differ', async () => {
  const { sent, client } = clientOf(() => text(500, ''));
  const target = { users: ['ann'], from: new Date('2026-11-21T10:00:00Z'), to: new Date('2026-11-21T10:30:00Z') };
  await expect(preview(client, target)).rejects.toMatchObject({ status: 500 });
  const queries = sent.map(({ url }) => new URL(url).searchParams.get('from'));
  expect(queries.filter((from) => from !== null)).toEqual(['2026-11-21T09:50:00.000Z']);
});

it('a page that failed can be asked for again, and a short or an empty page is not the last', async () => {
  const pages = [
    { data: [{ id: 1 }], next_cursor: 'a' },
    { data: [], next_cursor: 'b' },
    { data: [{ id: 2 }], next_cursor: null },
  ];
  const cursors = [null, 'a', 'b'];
  const page = ({ url }: Request) => Response.json(pages[cursors.indexOf(new URL(url).searchParams.get('cursor'))]);
  const failing = clientOf((request, number) => (number === 2 ? text(500, '') : page(request))).client;
  const query = { limit: 50, cursor: (await loadPage(failing, { limit: 50 })).next_cursor ?? '' };
  await expect(loadPage(failing, query)).rejects.toMatchObject({ status: 500 });
  expect(await loadPage(failing, query)).toEqual(pages[1]);
  const { client: of, sent } = clientOf(page);
  expect(await loadItems(of, [1, 2])).toEqual([{ id: 1 }, { id: 2 }]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?ids=1,2', '?ids=1,2&cursor=a', '?ids=1,2&cursor=b']);
});
