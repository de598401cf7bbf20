import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { typesHeader } from '../../infra/tools/openapi/typesHeader.ts';
import type { LoadedItem, Pending } from '../frontend/catalogClient.ts';
import {
  catalogClient,
  createItem,
  loadCatalog,
  loadItem,
  messagesOf,
  resumeCreate,
  saveItem,
  searchItems,
} from '../frontend/catalogClient.ts';
import { blocks, page } from '../support/pages.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let api: TestApi;
let client: ReturnType<typeof catalogClient>;
beforeAll(async () => {
  api = await startTestApi();
  client = catalogClient(api.url, async () => api.tokens.editor);
});
afterAll(() => api.close());
afterEach(() => {
  vi.unstubAllGlobals();
});

/** As `sessionStorage`, which outlives a page. */
function storage(): Pending & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
}

async function loaded(body: Parameters<typeof createItem>[2]): Promise<LoadedItem> {
  const answer = await createItem(client, storage(), body);
  const item = answer?.data?.data;
  if (item === undefined) throw new Error(JSON.stringify(answer?.error));
  return { item, etag: answer?.response.headers.get('etag') ?? '' };
}

describe("the frontend page's client", () => {
  it('is the same code as the client tested here', () => {
    expect(blocks(page('docs/frontend.md'), 'ts')).toContain(read('test/frontend/catalogClient.ts'));
  });

  it('has types generated from the current openapi.json (npm run client-types)', () => {
    const types = read('test/frontend/catalogApi.d.ts');
    expect(types.split('\n')[0]).toBe(typesHeader(read('openapi.json')).trimEnd());
  });

  it('fills the options of a form from the catalog', async () => {
    const catalog = await loadCatalog(client);
    expect(catalog?.categories).toContainEqual({ id: 1, name: 'General', archived: false });
    expect(catalog?.units).toContainEqual({ unit: 'un', decimals: 0 });
    expect(catalog?.defaults.service.unit).toBe('hour');
    expect(catalog?.permissions).toContain('catalog:edit');
  });

  it('finds items by name prefix, across all pages', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `Lámp ${String(index).padStart(2, '0')}`);
    for (const name of names) await createItem(client, storage(), { name });
    const found: string[] = [];
    for await (const { name } of searchItems(client, 'lamp')) found.push(name);
    expect(found).toEqual(names);
  });

  it('loads an item for a form, which can save it', async () => {
    const { item } = await loaded({ name: 'Shelf', value: 1 });
    const form = await loadItem(client, item.id);
    if (form === undefined) throw new Error('There is no item');
    expect(form).toEqual({ item, etag: '"1"' });
    expect((await saveItem(client, form, { value: 2 })).data?.data.value).toBe(2);
    expect(await loadItem(client, 999_999)).toBeUndefined();
  });

  it('creates an item once, even if the response is lost and the page is reloaded', async () => {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (request: Request) => {
      await fetch(request);
      throw new TypeError('The connection was lost');
    });
    const pending = storage();
    await expect(createItem(client, pending, { name: 'Once', sku: 'ONCE-1' })).rejects.toThrow('lost');
    vi.stubGlobal('fetch', fetch);
    const answer = await resumeCreate(client, pending);
    expect(answer?.data?.data).toMatchObject({ name: 'Once', sku: 'ONCE-1' });
    expect(answer?.response.headers.get('idempotency-replayed')).toBe('true');
    expect(pending.kept.size).toBe(0);
    expect(await resumeCreate(client, pending)).toBeUndefined();
  });

  it('shows at the inputs why a create failed, and does not retry it', async () => {
    const pending = storage();
    const answer = await createItem(client, pending, { name: ' ', cost: -1, metadata: { size: [1e300] } });
    expect(answer?.error && messagesOf(answer.error)).toEqual({
      form: '',
      inputs: {
        name: expect.stringMatching(/^must be a text/),
        cost: 'must be a number from 0 to 99999999.9999',
        'metadata/size/0': expect.any(String),
      },
    });
    expect(pending.kept.size).toBe(0);
  });

  it('shows a taken identifier at its input, and other errors above the form', async () => {
    const { item } = await loaded({ name: 'Owner', pn: 'TAKEN' });
    const taken = await createItem(client, storage(), { name: 'Other', pn: 'TAKEN' });
    expect(taken?.error && messagesOf(taken.error).inputs).toEqual({ pn: `is used by item ${item.id}` });
    const reader = catalogClient(api.url, async () => api.tokens.reader);
    const refused = await saveItem(reader, { item, etag: '"1"' }, { value: 1 });
    expect(refused.error && messagesOf(refused.error)).toEqual({
      form: 'The access token does not permit this operation.',
      inputs: {},
    });
  });

  it('keeps both changes when two people changed different fields', async () => {
    const form = await loaded({ name: 'Desk', value: 10 });
    await saveItem(client, form, { value: 20 });
    const saved = await saveItem(client, form, { name: 'Oak desk' });
    expect(saved.data?.data).toMatchObject({ name: 'Oak desk', value: 20 });
  });

  it('saves nothing when two people changed the same field, and returns the current item', async () => {
    const form = await loaded({ name: 'Desk', value: 10 });
    await saveItem(client, form, { value: 20 });
    const saved = await saveItem(client, form, { value: 30 });
    expect('conflict' in saved && saved.conflict).toMatchObject({ item: { value: 20 }, etag: '"2"' });
  });

  it('waits as long as a busy service asks before retrying', async () => {
    const { fetch } = globalThis;
    let sent = 0;
    vi.stubGlobal('fetch', (request: Request) => {
      sent += 1;
      return sent > 1 ? fetch(request) : Response.json({}, { status: 503, headers: { 'retry-after': '1' } });
    });
    const started = performance.now();
    expect((await createItem(client, storage(), { name: 'Patient' }))?.response.status).toBe(201);
    expect([sent, performance.now() - started > 400]).toEqual([2, true]);
  });
});
