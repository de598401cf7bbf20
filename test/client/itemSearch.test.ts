import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ItemSearch, wordsOf } from '../../client/items/itemSearch.ts';
import { loadItem } from '../../client/items/readItems.ts';
import type { Item } from '../../client/public/index.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { fold } from '../../lib/item/listedName.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { create, update } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { meetRequests } from '../support/client/meetRequests.ts';
import { anyText } from '../support/items/arbitraries.ts';

const api = await startTestApi({ recordsChanges: true });
const { client, leave, meetAll, newClient } = await meetRequests(api);
let signedOut = new AbortController();
afterEach(() => {
  signedOut.abort();
  signedOut = new AbortController();
  leave();
});

async function created(fields: JsonObject): Promise<number> {
  const { status, text } = await api.send(create(fields));
  expect(status).toBe(201);
  return JSON.parse(text).data.id;
}

async function current(id: number): Promise<Item> {
  const item = await loadItem(client, id);
  if (item === null) throw new Error('There is no item');
  return item;
}

/** In a proxy, such as Vue's `ref` puts around what it keeps. */
const newSearch = (onChange = () => {}) =>
  new Proxy(new ItemSearch(client, { signal: signedOut.signal, interval: 20, onChange }), {});

async function loadedSearch(onChange?: () => void): Promise<ItemSearch> {
  const search = newSearch(onChange);
  await search.load();
  return search;
}

const eventually = { timeout: 60_000, interval: 20 };

const namesOf = async (search: ItemSearch, text: string) => (await search.find(text)).map(({ name }) => name);

/** From now on, answers requests for pages of the list differently. */
const meetList = (answer: (send: () => Promise<Response>) => Promise<Response>): void =>
  meetAll((request, send) => {
    const { pathname, searchParams } = new URL(request.url);
    return pathname.endsWith('/items') && !searchParams.has('ids') ? answer(send) : send();
  });

describe("a frontend's search", () => {
  it('leaves to the page what it has found so far, which may be frozen there', async () => {
    for (const name of ['Frozen 1', 'Frozen 2', 'Frozen 3']) await created({ name });
    const shown: number[] = [];
    const onProgress = (found: readonly Item[]) => shown.push(Object.freeze(found).length);
    expect(await newSearch().find('Frozen', { onProgress })).toHaveLength(3);
    expect(shown).toEqual([1, 2, 3]);
  });

  it('folds words as the service folds names', () => {
    const folded = (text: string) => fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '');
    fc.assert(fc.property(anyText, (text) => void expect(wordsOf(text).join('')).toBe(folded(text))));
    const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
    const texts = characters.filter((one) => !/[\p{Cn}\p{Co}]/u.test(one)).map((one) => `Σ${one} A`);
    expect(texts.filter((text) => wordsOf(text).join('') !== folded(text))).toEqual([]);
  });

  it('finds the beginnings of words in any order, in name, SKU and part number', async () => {
    await created({ name: 'Oak Désk, 120 cm', sku: 'DX-4711', pn: '99.A7' });
    const search = await loadedSearch();
    const found = ['desk', 'DESK oa', 'o 12', 'dx-4711', '4711 oak', 'a7', 'désk 99 dx', '99.a7'];
    const missed = ['esk', 'ak', '711', 'desk pine', '120cm'];
    for (const text of found) expect([text, await namesOf(search, text)]).toEqual([text, ['Oak Désk, 120 cm']]);
    for (const text of missed) expect([text, await namesOf(search, text)]).toEqual([text, []]);
  });

  it('finds words that are written without blanks between them', async () => {
    await created({ name: '木製椅子 L' });
    await created({ name: 'เก้าอี้ไม้' });
    const search = await loadedSearch();
    for (const text of ['椅子', '木製', '木製椅子', 'l 椅'])
      expect(await namesOf(search, text)).toEqual(['木製椅子 L']);
    expect(await namesOf(search, '机')).toEqual([]);
    expect(await namesOf(search, 'ไม้')).toEqual(['เก้าอี้ไม้']);
  });

  it('shows names that begin with the text first, and as many as it is asked for', async () => {
    for (const name of ['Round table', 'Table', 'Garden table', 'Table leg']) await created({ name });
    const search = await loadedSearch();
    expect(await namesOf(search, 'table')).toEqual(['Table', 'Table leg', 'Garden table', 'Round table']);
    expect(await search.find('table', { limit: 1 })).toHaveLength(1);
  });

  it('asks the service for names until the list is loaded', async () => {
    for (const name of ['Lamp A', 'Lamp B', 'Floor lamp']) await created({ name });
    const search = newSearch();
    expect(await namesOf(search, 'lamp')).toEqual(['Lamp A', 'Lamp B']);
    expect(await search.find('lamp', { limit: 1 })).toHaveLength(1);
    // More than a page.
    expect(await search.find('lamp', { limit: 101 })).toHaveLength(2);
  });

  it('finds what the user has saved, even if a load read it before', async () => {
    const id = await created({ name: 'Old shelf' });
    const deactivated = await created({ name: 'Broken shelf' });
    const search = newSearch();
    meetList(async (send) => {
      const response = await send();
      await api.send(update(id, { name: 'New shelf' }));
      await api.send(update(deactivated, { active: false }));
      for (const saved of [id, deactivated]) search.upsert(await current(saved));
      return response;
    });
    await search.load();
    expect(await namesOf(search, 'shelf')).toEqual(['New shelf']);
    leave();
    search.upsert(await current(await created({ name: 'Third shelf' })));
    expect(await namesOf(search, 'shelf')).toEqual(['New shelf', 'Third shelf']);
  });

  it('finds what others create, rename, deactivate and remove since, and says so, without loading again', async () => {
    const [renamed, deactivated, removed] = [
      await created({ name: 'Sofa one' }),
      await created({ name: 'Sofa two' }),
      await created({ name: 'Sofa four' }),
    ];
    let lists = 0;
    meetList((send) => {
      lists += 1;
      return send();
    });
    const onChange = vi.fn();
    const search = await loadedSearch(onChange);
    const loaded = lists;
    search.upsert(await current(renamed));
    expect(await namesOf(search, 'sofa')).toEqual(['Sofa four', 'Sofa one', 'Sofa two']);
    await api.send(update(renamed, { name: 'Red sofa' }));
    await api.send(update(deactivated, { active: false }));
    await created({ name: 'Sofa three' });
    await api.client.send(new DeleteCommand({ TableName: api.table, Key: keys.item('demo-1', removed) }));
    const expected = ['Sofa three', 'Red sofa'];
    await vi.waitUntil(async () => String(await namesOf(search, 'sofa')) === String(expected), eventually);
    expect(onChange).toHaveBeenCalled();
    expect(lists).toBe(loaded);
  });

  it('finds what others have written just before it was loaded, which the list does not show yet', async () => {
    const id = await created({ name: 'Late stool' });
    meetList(async () => Response.json({ data: [], next_cursor: null }));
    const search = await loadedSearch();
    leave();
    await vi.waitUntil(async () => (await search.find('stool')).some((item) => item.id === id), eventually);
  });

  it('follows what was recorded from 10 minutes before it asked for the list, by the clock of the service', async () => {
    const sent: string[] = [];
    meetAll(async (request, send) => {
      const { pathname, search } = new URL(request.url);
      sent.push(`${pathname.split('/').at(-1)}${search}`);
      if (!pathname.endsWith('/changes')) return send();
      const readAt = `2027-01-01T00:${String(10 * sent.length).padStart(2, '0')}:00+00:00`;
      return Response.json({ data: [], next_cursor: 'next', has_more: false, read_at: readAt });
    });
    await loadedSearch();
    await vi.waitUntil(() => sent.some((one) => one.includes('from=')), eventually);
    expect(sent[0]).toBe('changes');
    expect(sent.find((one) => one.includes('from='))).toBe('changes?from=2027-01-01T00%3A00%3A00.000Z&limit=100');
  });

  it('does not read again what it knows, and repeats a read that fails', async () => {
    const id = await created({ name: 'Known vase' });
    const search = await loadedSearch();
    const read: number[] = [];
    const saved = Promise.withResolvers<void>();
    meetAll(async (request, send) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname.endsWith('/changes')) await saved.promise;
      const ids = (searchParams.get('ids') ?? '').split(',').map(Number);
      const news = ids.filter((one) => one >= id);
      read.push(...news);
      if (news.length > 0 && read.length === 1) throw new TypeError('Failed to fetch');
      return send();
    });
    await api.send(update(id, { name: 'Own vase' }));
    search.upsert(await current(id));
    saved.resolve();
    const other = await created({ name: 'New vase' });
    await vi.waitUntil(async () => (await namesOf(search, 'vase')).length === 2, eventually);
    expect(read).toEqual([other, other]);
  });

  it('keeps an item that the list does not show yet, as it is now', async () => {
    const search = newSearch();
    const id = await created({ name: 'New bench' });
    search.upsert(await current(id));
    await api.send(update(id, { name: 'Garden bench' }));
    meetList(async () => Response.json({ data: [], next_cursor: null }));
    await search.load();
    expect(await namesOf(search, 'bench')).toEqual(['Garden bench']);
  });

  it('loads once for all who ask at the same time, and again after a failure', async () => {
    let sent = 0;
    meetList(async (send) => {
      sent += 1;
      return sent === 1
        ? Response.json({ error: { code: 'INTERNAL_ERROR', message: 'Down' } }, { status: 500 })
        : send();
    });
    const search = newSearch();
    await expect(Promise.all([search.load(), search.load()])).rejects.toThrow('Down');
    expect(sent).toBe(1);
    await created({ name: 'Oak mirror' });
    await search.load();
    expect(await namesOf(search, 'mirror')).toEqual(['Oak mirror']);
  });

  it('leaves the list to the service if it has more than 5,000 items, also once an import has made it so long', async () => {
    const item = await current(await created({ name: 'Carpet' }));
    const grown = new ItemSearch(newClient(), { signal: signedOut.signal });
    await grown.load();
    let pages = 0;
    meetList(async () => {
      pages += 1;
      const data = Array.from({ length: 100 }, (_, index) => ({ ...item, id: pages * 100 + index }));
      return Response.json({ data, next_cursor: 'next' });
    });
    const search = await loadedSearch();
    expect(pages).toBe(51);
    await search.load();
    expect(pages).toBe(51);
    await grown.refresh();
    leave();
    for (const each of [search, grown]) {
      expect(await namesOf(each, 'carpet')).toEqual(['Carpet']);
      expect(each.searchedBy).toBe('beginnings');
    }
  });
});
