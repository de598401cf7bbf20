import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ItemHistory } from '../../client/items/followChanges.ts';
import { ItemList, type ItemListState, type ItemsQuery } from '../../client/items/itemList.ts';
import { type Client, createCatalogClient } from '../../client/public/index.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientAnsweredBy } from '../support/client/clientOf.ts';
import { isRead, meetRequests } from '../support/client/meetRequests.ts';
import { hurry } from '../support/time/hurry.ts';

const api = await startTestApi({ recordsChanges: true });
const { client, newClient, created, hold, leave, lose, meetAll, newName, update } = await meetRequests(api);

const stops: (() => void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  leave();
  vi.unstubAllGlobals();
  // The last one has left.
  await pause(0);
});

function startedList(wanted: ItemsQuery, by: Client = client): ItemList {
  const list = new ItemList(by);
  stops.push(list.start());
  list.setQuery(wanted);
  return list;
}

const until = (list: ItemList, holds: (state: ItemListState) => boolean) =>
  vi.waitUntil(() => (holds(list.getState()) ? list.getState() : undefined), { timeout: 60_000, interval: 5 });

const namesIn = ({ items }: ItemListState) => items.map(({ name }) => name);

/** The requests for items that are sent from now on, as `items?search=…`. */
function sentItems(): string[] {
  const sent: string[] = [];
  meetAll((request, send) => {
    const [, query] = /\/items(\?.*)?$/.exec(decodeURIComponent(request.url)) ?? [];
    if (query !== undefined) sent.push(query);
    return send();
  });
  return sent;
}

const filter = { include_inactive: true };

describe('a list', () => {
  it('never shows the answer to an earlier text, and goes on by pages', async () => {
    const [early, late] = [newName(), newName()];
    for (const name of [early, ...[...'ABCDE'].map((end) => `${late} ${end}`)]) await created({ name });
    const { sent, release } = hold(({ url }) => url.includes(`search=${early}`));
    const list = startedList({ text: early, filter, pageSize: 2 });
    await sent;
    list.setQuery({ text: late, filter, pageSize: 2 });
    const shown = await until(list, ({ items }) => items.length === 2);
    release();
    await pause(50);
    expect([shown.hasMore, namesIn(list.getState())]).toEqual([true, [`${late} A`, `${late} B`]]);
    for (const count of [4, 5]) {
      list.loadMore();
      const { items, hasMore } = await until(list, ({ isFetching }) => !isFetching);
      expect([items.length, hasMore]).toEqual([count, count < 5]);
    }
    list.setQuery({ text: `${late} `, filter, pageSize: 2 });
    expect((await until(list, ({ isFetching }) => !isFetching)).items).toHaveLength(2);
  });

  it('has what an import has written before its changes are recorded', async () => {
    const name = newName();
    const list = startedList({ text: name }, newClient());
    await until(list, ({ searchedBy }) => searchedBy === 'words');
    meetAll((request, send) => (request.url.includes('/changes') ? new Promise(() => undefined) : send()));
    await created({ name });
    await list.refresh();
    expect(namesIn(await until(list, ({ items }) => items.length > 0))).toEqual([name]);
  });

  it('shows what it has found while the service reads on, also if all items are loaded meanwhile', async () => {
    const [first, last] = [await created({ name: newName() }), await created({ name: newName() })];
    const [loaded, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    meetAll(async (request, send) => {
      const query = new URL(request.url).searchParams;
      if (query.get('search') !== 'few') return send();
      const isFirst = query.get('cursor') === null;
      await (isFirst ? loaded : rest).promise;
      return Response.json({ data: [isFirst ? first : last], next_cursor: isFirst ? 'rest' : null });
    });
    const list = startedList({ text: 'few', filter }, newClient());
    await until(list, ({ version }) => version > 0);
    loaded.resolve();
    const { isFetching, hasMore } = await until(list, ({ items }) => items.length === 1);
    expect([isFetching, hasMore]).toEqual([true, false]);
    rest.resolve();
    await until(list, (state) => !state.isFetching && state.items.length === 2);
  });

  it('says why it is not current, and tries again without asking for a sign-in', async () => {
    hurry();
    const { name } = await created({ name: newName() });
    const asked: boolean[] = [];
    let failures = 0;
    const of = createCatalogClient({
      baseUrl: api.url,
      getAccessToken: async ({ background }) => {
        asked.push(background);
        return api.tokens.editor;
      },
      fetch: (request) => {
        const isLost = request.url.includes(`search=${name}`) && ++failures <= 3;
        return isLost ? Promise.reject(new TypeError('The connection was lost')) : fetch(request);
      },
    });
    const list = startedList({ text: name, filter }, of);
    const { notice } = await until(list, (state) => state.notice !== undefined);
    expect(notice).toEqual({ code: 'retrying', reason: { code: 'no_answer' } });
    asked.length = 0;
    await until(list, (state) => state.items.length === 1 && state.notice === undefined);
    expect(asked).not.toContain(false);
  });

  it('is loaded again if it could not be at the start', async () => {
    hurry();
    const { name } = await created({ name: `Oak ${newName()}` });
    lose(({ url }) => url.endsWith('/changes'));
    const list = startedList({ text: name.slice(4) });
    await until(list, (state) => state.items.length === 1 && state.searchedBy === 'words');
  });

  it.each([
    [410, 'changes were lost', false],
    [403, 'a firewall has refused to tell changes, as soon as somebody searches', true],
  ])('is current again after %i: %s', async (status, _, isSearched) => {
    hurry();
    let refused = 0;
    meetAll(async (request, send) => {
      if (!request.url.includes('/changes?') || ++refused > 1) return send();
      return Response.json({ error: { code: 'REFUSED', message: 'No' } }, { status });
    });
    const text = newName();
    const list = startedList({ text });
    await vi.waitUntil(() => refused > 0, { timeout: 60_000 });
    await created({ name: text });
    await pause(50);
    if (isSearched) list.setQuery({ text });
    await until(list, ({ items }) => items.length === 1);
    expect(list.getState().searchedBy).toBe('words');
  });

  it('finds by words what has a filter, too, and by beginnings where that is of inactive items', async () => {
    const mark = newName();
    for (const type of ['product', 'service'] as const) await created({ name: `Oak ${mark}`, type });
    const list = startedList({ text: mark });
    await until(list, ({ searchedBy, items }) => searchedBy === 'words' && items.length === 2);
    list.setQuery({ text: mark, filter: { type: 'service' } });
    const { items, searchedBy } = await until(list, ({ isFetching }) => !isFetching);
    expect([items.map(({ type }) => type), searchedBy]).toEqual([['service'], 'words']);
    list.setQuery({ text: mark, filter });
    expect(await until(list, ({ isFetching }) => !isFetching)).toMatchObject({ items: [], searchedBy: 'beginnings' });
  });

  it('finds all items of its text, also those that are on no page yet', async () => {
    const mark = newName();
    for (const name of ['A', 'B', 'C']) await created({ name: `${name} ${mark}` });
    const list = startedList({ text: mark, pageSize: 1 });
    await until(list, ({ searchedBy, items }) => searchedBy === 'words' && items.length === 1);
    expect((await list.findAll()).map(({ name }) => name)).toEqual(['A', 'B', 'C'].map((name) => `${name} ${mark}`));
  });

  it('is fetched once in ten seconds while others change items, and once after that', async () => {
    let version = 0;
    const answers = [...'abc'].map((id) => ({
      data: [{ item: 1, kind: 'updated', revision: 2 }],
      next_cursor: id,
      has_more: id !== 'c',
    }));
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const changing = clientAnsweredBy(async ({ url }) => {
      const isFeed = url.includes('/changes?');
      const next = isFeed ? answers[version++] : undefined;
      if (isFeed) return Response.json(next ?? { data: [], next_cursor: 'c', has_more: false });
      if (url.endsWith('/changes')) return Response.json({ data: [], next_cursor: 'a', read_at: new Date(0) });
      return Response.json({ data: [], next_cursor: null });
    });
    const list = startedList({ text: 'x', filter }, changing);
    await vi.waitUntil(() => version === answers.length, { interval: 1 });
    await vi.advanceTimersByTimeAsync(0);
    expect(list.getState().version).toBe(1); // it was loaded
    await vi.advanceTimersByTimeAsync(10_000);
    expect(list.getState().version).toBe(2);
    vi.useRealTimers();
  });

  it('whose changes were lost is not loaded again with each letter', async () => {
    meetAll((request, send) =>
      request.url.includes('/changes?')
        ? Promise.resolve(Response.json({ error: { code: 'CHANGES_EXPIRED', message: 'Lost' } }, { status: 410 }))
        : send(),
    );
    const list = startedList({ text: 'o' });
    await until(list, ({ searchedBy }) => searchedBy === 'words');
    await pause(50);
    const sent = sentItems();
    for (const text of ['oa', 'oak', 'oak ']) {
      list.setQuery({ text });
      await until(list, ({ isFetching }) => !isFetching);
    }
    await pause(50);
    expect(sent).toEqual([]);
  });

  it('is loaded once for all that show it, and forgotten when the last one is gone', async () => {
    const { name } = await created({ name: `Oak ${newName()}` });
    const sent = sentItems();
    const lists = [startedList({ text: 'oak' }), startedList({ text: name.slice(4) })];
    for (const list of lists) await until(list, ({ searchedBy }) => searchedBy === 'words');
    const pages = () => sent.filter((search) => search === '?limit=100').length;
    expect(pages()).toBe(1);
    lists[0]?.upsert({ ...(await created({ name: newName() })), name: 'Oak of mine' });
    for (const list of lists) await until(list, ({ version }) => version > 0);
    await until(lists[0] as ItemList, (state) => namesIn(state).includes('Oak of mine'));
    for (const stop of stops.splice(0)) stop();
    await pause(0);
    await until(startedList({ text: 'oak' }), ({ searchedBy }) => searchedBy === 'words');
    expect(pages()).toBe(2);
  });
});

describe('a list that is too long to load', () => {
  const large = newClient();
  /** As if each id up to 6,000 were an item that is active. */
  async function meetLarge(sent: string[]): Promise<void> {
    const item = await created({ name: newName() });
    meetAll(async (request, send) => {
      const url = new URL(request.url);
      if (!url.pathname.endsWith('/items')) return send();
      sent.push(url.search);
      const ids = (url.searchParams.get('ids') ?? '').split(',').map(Number);
      if (url.searchParams.has('ids'))
        return Response.json({
          data: ids.filter((id) => id <= 6_000).map((id) => ({ ...item, id })),
          next_cursor: null,
        });
      if (url.search !== '?limit=100') return send();
      return Response.json({ data: Array.from({ length: 100 }, (_, id) => ({ ...item, id })), next_cursor: 'next' });
    });
  }

  it('is known as such after one page and a sample, finds whole codes, and follows what it shows', async () => {
    hurry();
    const { id, name, sku } = await created({ name: `Oak ${newName()}`, sku: `Code ${newName()}` });
    const sent: string[] = [];
    await meetLarge(sent);
    const list = startedList({ text: sku ?? '' }, large);
    await until(list, (state) => state.items.length === 1);
    expect([namesIn(list.getState()), list.getState().searchedBy]).toEqual([[name], 'beginnings']);
    await vi.waitUntil(() => sent.some((search) => search.startsWith('?ids=')), { timeout: 60_000 });
    const { version } = list.getState();
    await update(id, { value: 7 });
    await until(list, (state) => state.version > version && state.items[0]?.value === 7);
    expect(sent.filter((search) => search.startsWith('?limit=100'))).toEqual(['?limit=100']);
    expect(sent.filter((search) => search.includes('cursor'))).toEqual([]);
    for (const stop of stops.splice(0)) stop();
    await pause(0);
    startedList({ text: 'x' }, large).setQuery({ text: 'y' });
    await pause(50);
    expect(sent.filter((search) => search === '?limit=100')).toHaveLength(1);
  });
});

it('a history is that of the item that was asked for last, whatever is answered last, and is read again', async () => {
  hurry();
  const [first, last] = [await created({ name: newName() }), await created({ name: newName() })];
  const history = new ItemHistory();
  const { sent, release } = hold(({ url }) => url.includes(`/${first.id}/changes`));
  history.read(client, first.id);
  await sent;
  lose(isRead);
  const shown = () => history.getState().changes[0]?.item;
  const read = () => {
    if (shown() === undefined) stops.push(history.read(client, last.id));
    return shown() === last.id;
  };
  await vi.waitUntil(read, { timeout: 60_000, interval: 100 });
  release();
  await pause(100);
  expect(shown()).toBe(last.id);
});
