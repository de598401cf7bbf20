import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PollOptions } from '../../client/http/retryUntilDone.ts';
import { followChanges, latestCursor, listItemChanges, startOfCopy } from '../../client/items/followChanges.ts';
import { create, update } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';

const api = await startTestApi({ recordsChanges: true });
const client = clientOf(api);
let ended = new AbortController();
afterEach(() => {
  ended.abort();
  ended = new AbortController();
  vi.unstubAllGlobals();
});

async function created(name: string): Promise<number> {
  return JSON.parse((await api.send(create({ name }))).text).data.id;
}

const follow = (since: string | Date, options: PollOptions = {}) =>
  followChanges(client, since, { signal: ended.signal, interval: 20, ...options });

/** The next change, by its item and kind; undefined at the end. */
async function next(pages: ReturnType<typeof follow>) {
  const { value } = await pages.next();
  return value?.changes.map(({ item, kind }) => [item, kind]);
}

/** From now on, answers requests for changes differently, and counts them. */
function stubChanges(answer: (send: () => Promise<Response>, attempt: number) => Promise<Response>) {
  const { fetch } = globalThis;
  const asked = { times: 0 };
  vi.stubGlobal('fetch', (request: Request) => {
    asked.times += 1;
    return answer(() => fetch(request), asked.times);
  });
  return asked;
}

const refusal = (status: number, code: string) => Response.json({ error: { code, message: code } }, { status });

describe('followChanges', () => {
  it('brings what changes from a cursor on, and goes on from a later one in another visit', async () => {
    const pages = follow(await latestCursor(client));
    const [one, two] = [await created('One'), await created('Two')];
    const seen: unknown[] = [];
    let cursor = '';
    for await (const page of pages) {
      seen.push(...page.changes.map(({ item }) => item));
      cursor = page.cursor;
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([one, two]);
    const visit = follow(cursor);
    await api.send(update(one, { value: 5 }));
    expect(await next(visit)).toEqual([[one, 'updated']]);
  });

  const change = { number: 1, item: 1, kind: 'updated' };
  it('asks at once for what follows a page that says so, and waits for the interval at the end', async () => {
    const more = [true, true, false];
    const asked = stubChanges(async (_, attempt) => {
      const data = Array(attempt === more.length ? 1 : 2).fill(change);
      return Response.json({ data, next_cursor: `after ${attempt}`, has_more: more[attempt - 1] });
    });
    const pages = follow('start', { interval: 60_000 });
    for (let page = more.length; page > 0; page -= 1) expect(await next(pages)).toBeDefined();
    const end = pages.next();
    await vi.waitUntil(() => asked.times === 3);
    await pause(50);
    expect(asked.times).toBe(3);
    ended.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['the network fails', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the token has expired, until the user has signed in', async () => refusal(401, 'UNAUTHORIZED')],
    ['the service fails', async () => refusal(500, 'INTERNAL_ERROR')],
    ['a hotel asks to sign in', async () => new Response('<html>')],
  ])('goes on where it was after %s, whatever the page throws when it is told', async (_, failure) => {
    const cursor = await latestCursor(client);
    const asked = stubChanges((send, attempt) => (attempt < 4 ? failure() : send()));
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const mistake = new Error('A mistake of the page');
    const onFailure = vi.fn(() => {
      throw mistake;
    });
    const pages = follow(cursor, { onFailure });
    const id = await created('Meanwhile');
    expect(await next(pages)).toEqual([[id, 'created']]);
    expect(asked.times).toBeGreaterThanOrEqual(4);
    expect(onFailure).toHaveBeenCalledTimes(3);
    expect(reported.mock.calls).toEqual([[mistake], [mistake], [mistake]]);
  });

  it('gives up on a connection that a sleep has cut', async () => {
    const asked = stubChanges((send, attempt) => (attempt < 3 ? new Promise(() => undefined) : send()));
    const id = await created('After a sleep');
    const pages = follow(new Date(0), { timeout: 1_000 });
    await vi.waitUntil(async () => (await next(pages))?.some(([item]) => item === id), { timeout: 60_000 });
    expect(asked.times).toBeGreaterThanOrEqual(3);
  });

  it('asks nothing while the page is hidden, and at once when it is seen again', async () => {
    const page = Object.assign(new EventTarget(), { hidden: false });
    const listening = vi.spyOn(page, 'addEventListener');
    vi.stubGlobal('document', page);
    const asked = stubChanges((send) => send());
    const pages = follow(await latestCursor(client));
    page.hidden = true;
    const change = next(pages);
    await vi.waitUntil(() => listening.mock.calls.length === 1);
    const before = asked.times;
    const id = await created('Unseen');
    page.dispatchEvent(new Event('visibilitychange'));
    await pause(100);
    expect(asked.times).toBe(before);
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    expect(await change).toEqual([[id, 'created']]);
  });

  it('ends at sign-out, also while it waits or the page is hidden, and asks nothing more', async () => {
    const asked = stubChanges((send) => send());
    const cursor = await latestCursor(client);
    const [waiting, hidden] = [follow(cursor, { interval: 60_000 }).next(), follow(cursor).next()];
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: true }));
    await pause(100);
    ended.abort();
    expect([await waiting, await hidden].map(({ done }) => done)).toEqual([true, true]);
    const before = asked.times;
    expect((await follow(cursor).next()).done).toBe(true);
    expect(asked.times).toBe(before);
  });
});

it('a copy begins 10 minutes before it is listed, by the clock of the service and not the user’s', async () => {
  stubChanges(async () => Response.json({ data: [], read_at: '2027-01-01T00:05:00+00:00' }));
  expect(await startOfCopy(client)).toEqual(new Date('2026-12-31T23:55:00Z'));
});

it('tells who has changed an item, newest first, across pages', async () => {
  const id = await created('Desk');
  await api.send(update(id, { value: 5 }));
  const listed = async () => (await Array.fromAsync(listItemChanges(client, id))).map(({ kind }) => kind);
  await vi.waitUntil(async () => (await listed()).length === 2, { timeout: 60_000, interval: 50 });
  expect(await listed()).toEqual(['updated', 'created']);
  const pages = ['next', null].map((next_cursor, item) =>
    Response.json({ data: [{ kind: `of page ${item}` }], next_cursor }),
  );
  const queries: string[] = [];
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    queries.push(new URL(url).search);
    return pages[queries.length - 1];
  });
  expect(await listed()).toEqual(['of page 0', 'of page 1']);
  expect(queries).toEqual(['', '?cursor=next']);
});
