import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../client/http/catalogClient.ts';
import { ItemHistory } from '../../client/items/itemHistory.ts';
import { ItemList, type ItemListState, type ItemsWanted } from '../../client/items/itemList.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { isRead, meetRequests } from '../support/client/meetRequests.ts';
import { hurry } from '../support/time/hurry.ts';

const api = await startTestApi({ recordsChanges: true });
const { client, newClient, created, hold, leave, lose, meetAll, newName, update } = await meetRequests(api);
afterAll(() => api.close());

const stops: (() => void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  leave();
  vi.unstubAllGlobals();
  // The last one has left.
  await pause(0);
});

function startedList(wanted: ItemsWanted, by: Client = client): ItemList {
  const list = new ItemList();
  stops.push(list.start(by));
  list.show(wanted);
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

const query = { include_inactive: true };

describe('a list', () => {
  it('never shows the answer to an earlier text, and goes on by pages', async () => {
    const [early, late] = [newName(), newName()];
    for (const name of [early, ...[...'ABCDE'].map((end) => `${late} ${end}`)]) await created({ name });
    const { sent, release } = hold(({ url }) => url.includes(`search=${early}`));
    const list = startedList({ text: early, query, pageSize: 2 });
    await sent;
    list.show({ text: late, query, pageSize: 2 });
    const shown = await until(list, ({ items }) => items.length === 2);
    release();
    await pause(50);
    expect([shown.isMore, namesIn(list.getState())]).toEqual([true, [`${late} A`, `${late} B`]]);
    for (const count of [4, 5]) {
      list.showMore();
      const { items, isMore } = await until(list, ({ isBusy }) => !isBusy);
      expect([items.length, isMore]).toEqual([count, count < 5]);
    }
    list.show({ text: `${late} `, query, pageSize: 2 });
    expect((await until(list, ({ isBusy }) => !isBusy)).items).toHaveLength(2);
  });

  it('says why it is not current, and tries again without asking for a sign-in', async () => {
    hurry();
    const { name } = await created({ name: newName() });
    let failures = 0;
    meetAll(async (request, send) => {
      const answer = await send();
      if (!request.url.includes(`search=${name}`) || ++failures > 3) return answer;
      throw new TypeError('The connection was lost');
    });
    const list = startedList({ text: name, query: {} });
    const { failure } = await until(list, (state) => state.failure !== undefined);
    expect(failure).toEqual({ code: 'retrying', reason: { code: 'no_answer' } });
    await until(list, (state) => state.items.length === 1 && state.failure === undefined);
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
    await vi.waitUntil(() => refused > 0);
    await created({ name: text });
    await pause(50);
    if (isSearched) list.show({ text });
    await until(list, ({ items }) => items.length === 1);
    expect(list.getState().searchedBy).toBe('words');
  });

  it('is loaded once for all that show it, and forgotten when the last one is gone', async () => {
    const { name } = await created({ name: `Oak ${newName()}` });
    const sent = sentItems();
    const lists = [startedList({ text: 'oak' }), startedList({ text: name.slice(4) })];
    for (const list of lists) await until(list, ({ searchedBy }) => searchedBy === 'words');
    const pages = () => sent.filter((search) => search === '?limit=100').length;
    expect(pages()).toBe(1);
    lists[0]?.put({ ...(await created({ name: newName() })), name: 'Oak of mine' });
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

  it('is known as such for the visit after one page and a sample, says how it is searched, finds whole codes, and follows what it shows', async () => {
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
    startedList({ text: 'x' }, large).show({ text: 'y' });
    await pause(50);
    expect(sent.filter((search) => search === '?limit=100')).toHaveLength(1);
  });
});

it('a history is that of the item that was asked for last, and is read again after a failure', async () => {
  hurry();
  const [first, last] = [await created({ name: newName() }), await created({ name: newName() })];
  const history = new ItemHistory();
  const { sent, release } = hold(({ url }) => url.includes(`/${first.id}/changes`));
  stops.push(history.read(client, first.id, 20));
  await sent;
  lose(isRead);
  stops.push(history.read(client, last.id, 20));
  release();
  await vi.waitUntil(
    () => {
      if (history.getState().changes.length === 0) history.read(client, last.id, 20);
      return history.getState().changes[0]?.item === last.id;
    },
    { timeout: 60_000, interval: 100 },
  );
});
