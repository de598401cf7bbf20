import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { fold } from '../../lib/item/listedName.ts';
import { catalogClient, type Item, loadItem } from '../frontend/catalogClient.ts';
import { ItemSearch, wordsOf } from '../frontend/itemSearch.ts';
import { create, update } from '../support/apiRequests.ts';
import { anyText } from '../support/arbitraries.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

let api: TestApi;
let client: ReturnType<typeof catalogClient>;
beforeAll(async () => {
  api = await startTestApi();
  client = catalogClient(api.url, async () => api.tokens.editor);
});
afterAll(() => api.close());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function created(fields: JsonObject): Promise<number> {
  const { status, text } = await api.send(create(fields));
  expect(status).toBe(201);
  return JSON.parse(text).data.id;
}

async function current(id: number): Promise<Item> {
  const loaded = await loadItem(client, id);
  if (loaded === undefined) throw new Error('There is no item');
  return loaded.item;
}

async function loadedSearch(): Promise<ItemSearch> {
  const search = new ItemSearch(client);
  await search.refresh();
  return search;
}

const namesOf = async (search: ItemSearch, text: string) => (await search.find(text)).map(({ name }) => name);

/** From now on, answers requests for pages of the list differently. */
function stubList(answer: (send: () => Promise<Response>) => Promise<Response>): void {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (request: Request) => {
    const send = () => fetch(request);
    return new URL(request.url).pathname.endsWith('/items') ? answer(send) : send();
  });
}

describe("the frontend page's search", () => {
  it('folds words as the service folds names', () => {
    const folded = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
    fc.assert(fc.property(anyText, (text) => void expect(wordsOf(text)).toEqual(folded(text))));
    const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
    const texts = characters.filter((one) => !/[\p{Cn}\p{Co}]/u.test(one)).map((one) => `Σ${one} A`);
    expect(texts.filter((text) => String(wordsOf(text)) !== String(folded(text)))).toEqual([]);
  });

  it('finds the beginnings of words in any order, in name, SKU and part number', async () => {
    await created({ name: 'Oak Désk, 120 cm', sku: 'DX-4711', pn: '99.A7' });
    const search = await loadedSearch();
    const found = ['desk', 'DESK oa', 'o 12', 'dx-4711', '4711 oak', 'a7', 'désk 99 dx', '99.a7'];
    const missed = ['esk', 'ak', '711', 'desk pine', '120cm'];
    for (const text of found) expect([text, await namesOf(search, text)]).toEqual([text, ['Oak Désk, 120 cm']]);
    for (const text of missed) expect([text, await namesOf(search, text)]).toEqual([text, []]);
  });

  it('shows names that begin with the text first, and as many as it is asked for', async () => {
    for (const name of ['Round table', 'Table', 'Garden table', 'Table leg']) await created({ name });
    const search = await loadedSearch();
    expect(await namesOf(search, 'table')).toEqual(['Table', 'Table leg', 'Garden table', 'Round table']);
    expect(await search.find('table', 1)).toHaveLength(1);
  });

  it('asks the service for names until the list is loaded', async () => {
    for (const name of ['Lamp A', 'Lamp B', 'Floor lamp']) await created({ name });
    const search = new ItemSearch(client);
    expect(await namesOf(search, 'lamp')).toEqual(['Lamp A', 'Lamp B']);
    expect(await search.find('lamp', 1)).toHaveLength(1);
  });

  it('finds what the user has saved, even if a load read it before', async () => {
    const id = await created({ name: 'Old shelf' });
    const deactivated = await created({ name: 'Broken shelf' });
    const search = new ItemSearch(client);
    stubList(async (send) => {
      const response = await send();
      await api.send(update(id, { name: 'New shelf' }));
      await api.send(update(deactivated, { active: false }));
      for (const saved of [id, deactivated]) search.put(await current(saved));
      return response;
    });
    await search.refresh();
    expect(await namesOf(search, 'shelf')).toEqual(['New shelf']);
    vi.unstubAllGlobals();
    search.put(await current(await created({ name: 'Third shelf' })));
    expect(await namesOf(search, 'shelf')).toEqual(['New shelf', 'Third shelf']);
  });

  it('finds what others have changed when the list is 15 minutes old', async () => {
    const [renamed, deactivated] = [await created({ name: 'Sofa one' }), await created({ name: 'Sofa two' })];
    const search = await loadedSearch();
    search.put(await current(renamed));
    await api.send(update(renamed, { name: 'Red sofa' }));
    await api.send(update(deactivated, { active: false }));
    await created({ name: 'Sofa three' });
    await search.refresh();
    expect(await namesOf(search, 'sofa')).toEqual(['Sofa one', 'Sofa two']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15 * 60_000 });
    await search.refresh();
    expect(await namesOf(search, 'sofa')).toEqual(['Sofa three', 'Red sofa']);
  });

  it('keeps an item that the list does not show yet, as it is now', async () => {
    const search = new ItemSearch(client);
    const id = await created({ name: 'New bench' });
    search.put(await current(id));
    await api.send(update(id, { name: 'Garden bench' }));
    stubList(async () => Response.json({ data: [], next_cursor: null }));
    await search.refresh();
    expect(await namesOf(search, 'bench')).toEqual(['Garden bench']);
  });

  it('loads once for all who ask at the same time, and again after a failure', async () => {
    let sent = 0;
    stubList(async (send) => {
      sent += 1;
      return sent === 1 ? Response.json({ error: { message: 'Down' } }, { status: 500 }) : send();
    });
    const search = new ItemSearch(client);
    await expect(Promise.all([search.refresh(), search.refresh()])).rejects.toThrow('Down');
    expect(sent).toBe(1);
    await created({ name: 'Oak mirror' });
    await search.refresh();
    expect(await namesOf(search, 'mirror')).toEqual(['Oak mirror']);
  });

  it('leaves the list to the service if it has more than 5,000 items', async () => {
    const item = await current(await created({ name: 'Carpet' }));
    let pages = 0;
    stubList(async () => {
      pages += 1;
      const data = Array.from({ length: 100 }, (_, index) => ({ ...item, id: pages * 100 + index }));
      return Response.json({ data, next_cursor: 'next' });
    });
    const search = await loadedSearch();
    expect(pages).toBe(51);
    await search.refresh();
    expect(pages).toBe(51);
    vi.unstubAllGlobals();
    expect(await namesOf(search, 'carpet')).toEqual(['Carpet']);
  });
});
