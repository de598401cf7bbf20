import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  type Client,
  catalogClient,
  dataOf,
  loadCatalog,
  messagesOf,
  RequestError,
} from '../../client/http/catalogClient.ts';
import { createCategory, createUnit, updateCategory, updateDefaults } from '../../client/items/configureCatalog.ts';
import { createItem, forgetCreate, resumeCreate } from '../../client/items/createItem.ts';
import { openCreates } from '../../client/items/openCreates.ts';
import { type LoadedItem, loadedItem, loadItem, loadItems, searchItems } from '../../client/items/readItems.ts';
import { saveItem } from '../../client/items/saveItem.ts';
import { en } from '../../client/texts/en.ts';
import { pt } from '../../client/texts/pt.ts';
import { limits } from '../../lib/item/limits.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

/** Whom the catalog names to the demo editor. */
const editor = { account: 'demo-1', user: 'editor' };

const api = await startTestApi();
const client = catalogClient(api.url, async () => api.tokens.editor);
afterAll(() => api.close());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Does what a user does, while the response is lost of each write that the service carries out. */
async function loseAnswers(act: () => Promise<unknown>): Promise<void> {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (request: Request) => {
    const response = await fetch(request);
    if (response.ok && request.method !== 'GET') throw new TypeError('The connection was lost');
    return response;
  });
  await expect(act()).rejects.toThrow('lost');
  vi.stubGlobal('fetch', fetch);
}

/** Does what a user does, and holds back its first request until it is released. */
async function hold<T>(act: () => Promise<T>) {
  const { fetch } = globalThis;
  const [sent, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.resolve();
    await released.promise;
    return fetch(request);
  });
  const answer = act();
  await sent.promise;
  vi.stubGlobal('fetch', fetch);
  return { answer, release: released.resolve };
}

async function loaded(body: Parameters<typeof createItem>[3]): Promise<LoadedItem> {
  const answer = await createItem(client, editor, memoryStorage(), body);
  return loadedItem(dataOf(answer).data);
}

/** Saves with a key of its own, unless it is told to try again. */
const save = (form: LoadedItem, changes: Parameters<typeof saveItem>[2], key: string = crypto.randomUUID()) =>
  saveItem(client, form, changes, key);

async function namesOf(of: Client, search: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of searchItems(of, search)) names.push(name);
  return names;
}

describe("a frontend's client", () => {
  it('fills the options of a form from the catalog', async () => {
    const catalog = await loadCatalog(client);
    expect(catalog.categories).toContainEqual({ id: 1, name: 'General', archived: false });
    expect(catalog.units).toContainEqual({ unit: 'un', decimals: 0 });
    expect(catalog.defaults.service.unit).toBe('hour');
    expect(catalog.permissions).toContain('catalog:edit');
    expect(catalog).toMatchObject(editor);
  });

  it('finds items by name prefix, across all pages', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `Lámp ${String(index).padStart(2, '0')}`);
    for (const name of names) await createItem(client, editor, memoryStorage(), { name });
    expect(await namesOf(client, 'lamp')).toEqual(names);
  });

  it('loads the items of a proposal by their ids, more than a page of them', async () => {
    const { item } = await loaded({ name: 'Line' });
    const missing = Array.from({ length: 100 }, (_, index) => 900_000 + index);
    expect(await loadItems(client, [...missing, item.id])).toEqual([item]);
  });

  it('tells a failed read from an item that does not exist, with what a program needs to know', async () => {
    const signedOut = catalogClient(api.url, async () => 'expired');
    const unauthorized = 'The access token is missing or not valid.';
    await expect(loadItem(signedOut, 1)).rejects.toThrow(unauthorized);
    await expect(namesOf(signedOut, '')).rejects.toThrow(unauthorized);
    const lost = catalogClient(`${api.url}/elsewhere`, async () => api.tokens.editor);
    await expect(loadItem(lost, 1)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const refused = await loadCatalog(signedOut).catch((error) => error);
    expect(refused).toBeInstanceOf(RequestError);
    expect({ ...refused }).toEqual({
      ...{ name: 'RequestError', status: 401, code: 'UNAUTHORIZED' },
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    });
  });

  it('creates an item once, even if the response is lost and the page is reloaded', async () => {
    const pending = memoryStorage();
    await loseAnswers(() => createItem(client, editor, pending, { name: 'Once', sku: 'ONCE-1' }));
    const answer = await resumeCreate(client, pending);
    expect(answer?.data?.data).toMatchObject({ name: 'Once', sku: 'ONCE-1' });
    expect(answer?.response.headers.get('idempotency-replayed')).toBe('true');
    expect(pending.saved.size).toBe(0);
    expect(await resumeCreate(client, pending)).toBeUndefined();
  });

  it.each(['otherAccount', 'editorWithoutCost'] as const)(
    'never sends one user’s create for another (%s)',
    async (name) => {
      const pending = memoryStorage();
      await loseAnswers(() => createItem(client, editor, pending, { name: `For ${name} to see` }));
      const other = catalogClient(api.url, async () => api.tokens[name]);
      expect(await resumeCreate(other, pending)).toBeUndefined();
      expect(await namesOf(other, `For ${name}`)).toEqual(name === 'otherAccount' ? [] : [`For ${name} to see`]);
      expect(pending.saved.size).toBe(0);
    },
  );

  it('sends nothing that was left open before the sign-out, or a day ago', async () => {
    const pending = memoryStorage();
    const leaveOpen = () => loseAnswers(() => createItem(client, editor, pending, { name: 'Left open' }));
    await leaveOpen();
    forgetCreate(pending);
    expect(await resumeCreate(client, pending)).toBeUndefined();
    await leaveOpen();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 3_600_000 });
    // To try again protects it no longer.
    await leaveOpen();
    vi.setSystemTime(Date.now() + 12 * 3_600_000);
    expect(await resumeCreate(client, pending)).toBeUndefined();
    expect(pending.saved.size).toBe(0);
  });

  it('keeps a create that is still open while it cannot tell whose it is', async () => {
    const pending = memoryStorage();
    await loseAnswers(() => createItem(client, editor, pending, { name: 'Signed out' }));
    const expired = catalogClient(api.url, async () => 'expired');
    expect((await resumeCreate(expired, pending))?.response.status).toBe(401);
    expect((await resumeCreate(client, pending))?.data?.data.name).toBe('Signed out');
  });

  it('sends nothing if the user signs out while the client asks whose it is', async () => {
    const pending = memoryStorage();
    await loseAnswers(() => createItem(client, editor, pending, { name: 'Abandoned' }));
    const resumed = await hold(() => resumeCreate(client, pending));
    forgetCreate(pending);
    resumed.release();
    expect(await resumed.answer).toBeUndefined();
  });

  it('keeps all creates that are open, and sends an equal one once', async () => {
    const pending = memoryStorage();
    const bodies = [{ name: 'Open 1' }, { name: 'Open 2' }, { name: 'Open 3' }];
    for (const body of bodies) await loseAnswers(() => createItem(client, editor, pending, body));
    const again = await createItem(client, editor, pending, { name: 'Open 2' });
    expect(again.response.headers.get('idempotency-replayed')).toBe('true');
    const [open] = openCreates(editor, pending);
    forgetCreate(pending, open);
    expect((await resumeCreate(client, pending))?.data?.data.name).toBe('Open 3');
    expect(await resumeCreate(client, pending)).toBeUndefined();
    expect(await namesOf(client, 'Open ')).toEqual(['Open 1', 'Open 2', 'Open 3']);
  });

  it('keeps a create that is still open when an earlier one is answered', async () => {
    const pending = memoryStorage();
    const earlier = await hold(() => createItem(client, editor, pending, { name: 'Earlier' }));
    await loseAnswers(() => createItem(client, editor, pending, { name: 'Still open' }));
    earlier.release();
    await earlier.answer;
    expect((await resumeCreate(client, pending))?.data?.data.name).toBe('Still open');
  });

  it('shows at the inputs why a create failed, and does not retry it', async () => {
    const pending = memoryStorage();
    const answer = await createItem(client, editor, pending, {
      name: ' ',
      cost: -1,
      metadata: { size: [1e300], 'a/b': 1e300 },
    });
    expect(answer?.error && messagesOf(answer.error)).toEqual({
      form: '',
      inputs: {
        name: expect.stringMatching(/^must be a text/),
        cost: `must be a number from 0 to ${limits.cost.max}`,
        'metadata/size/0': expect.any(String),
        'metadata/a~1b': expect.any(String),
      },
    });
    expect(pending.saved.size).toBe(0);
  });

  it('shows a taken identifier at its input, and other errors above the form', async () => {
    const { item } = await loaded({ name: 'Owner', pn: 'TAKEN' });
    const taken = await createItem(client, editor, memoryStorage(), { name: 'Other', pn: 'TAKEN' });
    expect(taken?.error && messagesOf(taken.error).inputs).toEqual({ pn: `is used by item ${item.id}` });
    const thrown = await loaded({ name: 'x'.repeat(151), pn: 'OTHER', value: 1e9 }).catch((error) => error);
    expect(messagesOf(thrown, pt)).toEqual({
      form: '',
      inputs: { name: 'Deve ter no máximo 150 caracteres.', value: 'Deve ser no máximo 99.999.999,9999.' },
    });
    expect(messagesOf(taken.error ?? thrown, en).inputs).toEqual({ pn: `Item ${item.id} has it already.` });
    const unknown = { code: 'NEW', message: 'New', fields: [{ field: 'sku', reason: 'is new', rule: 'new' as 'min' }] };
    expect(messagesOf(unknown, en).inputs).toEqual({ sku: 'is new' });
    const reader = catalogClient(api.url, async () => api.tokens.reader);
    const refused = await saveItem(reader, { item, etag: '"1"' }, { value: 1 }, crypto.randomUUID());
    expect(refused.error && messagesOf(refused.error)).toEqual({
      form: 'The access token does not permit this operation.',
      inputs: {},
    });
  });

  it('saves nothing twice, even if somebody else has saved between a lost response and the retry', async () => {
    const form = await loaded({ name: 'Desk', value: 10 });
    const [changes, key] = [{ value: 55 }, crypto.randomUUID()];
    await save(form, { name: 'Oak desk' });
    await loseAnswers(() => save(form, changes, key));
    const now = await loadItem(client, form.item.id);
    if (now === null) throw new Error('There is no item');
    await save(now, { value: 70 });
    const saved = await save(form, changes, key);
    expect(saved.data?.data.value).toBe(70);
    expect(saved.response.headers.get('idempotency-replayed')).toBe('true');
    expect((await loadItem(client, form.item.id))?.etag).toBe('"4"');
  });

  it('sees no conflict in its own update, whose response was lost and whose key is not sent again', async () => {
    const form = await loaded({ name: 'Desk', value: 10, sku: 'OURS', metadata: { a: 1, b: 1 } });
    const changes = { value: 55, sku: null, metadata: { a: 2, b: null } };
    await loseAnswers(() => save(form, changes));
    const saved = await save(form, changes);
    expect(saved.data?.data).toMatchObject({ value: 55, sku: null, metadata: { a: 2 } });
  });
});

describe('behind a proxy that changes headers', () => {
  it.each([['W/"%"'], ['"%-gzip"'], ['*'], [undefined]])('a save is of the revision in the body: %s', async (etag) => {
    const matched: (string | null)[] = [];
    const behind = catalogClient(
      api.url,
      async () => api.tokens.editor,
      async (request) => {
        matched.push(request.headers.get('if-match'));
        const response = await fetch(request);
        const { headers, status } = response;
        const changed = new Headers(headers);
        changed.delete('etag');
        if (etag !== undefined) changed.set('etag', etag.replace('%', headers.get('etag')?.slice(1, -1) ?? ''));
        return new Response(await response.text(), { headers: changed, status });
      },
    );
    const { item } = await loaded({ name: 'Tagged', value: 10 });
    const form = await loadItem(behind, item.id);
    if (form === null) throw new Error('There is no item');
    await save(form, { value: 50 });
    expect((await saveItem(behind, form, { value: 70 }, 'one')).conflict).toMatchObject({
      item: { value: 50 },
      etag: '"2"',
    });
    expect((await saveItem(behind, form, { tag: 'x' }, 'another')).data?.data).toMatchObject({ value: 50, tag: 'x' });
    expect(matched).toEqual([null, '"1"', '"1"', '"2"']);
  });
});

type Changes = Parameters<typeof saveItem>[2];
it.each<[Changes, Changes, string[]?]>([
  [{ value: 20 }, { name: 'Oak' }],
  [{ value: 20 }, { value: 30 }, ['value']],
  [{ metadata: { b: { x: 1 } } }, { metadata: { a: 2, c: 3 } }],
  [{ metadata: { a: null } }, { value: 5, metadata: { a: 2 } }, ['metadata.a']],
  // A quantity and its unit are one value.
  [{ unit: 'kg' }, { qty: 2 }, ['qty']],
  [{ qty: 2 }, { unit: 'kg' }, ['qty']],
  [{ qty: 1.5, unit: 'kg' }, { qty: 2 }, ['qty']],
  [{ qty: 2 }, { qty: 1.5, unit: 'kg' }, ['qty']],
  [{ qty: 2 }, { qty: 2, unit: 'kg' }, ['qty']],
  [
    { qty: 2, unit: 'kg' },
    { qty: 2, unit: 'kg' },
  ],
  [{ unit: 'kg' }, { unit: 'kg' }],
  [{ qty: 2 }, { name: 'Bag' }],
  [{ name: 'Bag' }, { qty: 2 }],
])(
  'after %j, a save of %j keeps both, or saves nothing and names what both have changed',
  async (theirs, ours, names) => {
    const form = await loaded({ name: 'Sand', qty: 1, unit: 'un', metadata: { a: 1 } });
    await save(form, theirs);
    const { conflict, data } = await save(form, ours);
    expect(conflict?.names).toEqual(names);
    const saved = names === undefined ? ours : {};
    const metadata = Object.entries({ a: 1, ...theirs.metadata, ...saved.metadata }).filter(
      ([, value]) => value !== null,
    );
    expect(conflict?.item ?? data?.data).toMatchObject({ ...theirs, ...saved, metadata: Object.fromEntries(metadata) });
  },
);

describe('a settings page', () => {
  const unique = () => crypto.randomUUID().slice(0, 8);
  const admin = catalogClient(api.url, async () => api.tokens.admin);

  it('adds a category, renames and archives it, registers a unit, and sets the defaults', async () => {
    const shown = await loadCatalog(admin);
    const { data: added } = dataOf(await createCategory(admin, shown, { name: 'Chairs' }));
    await updateCategory(admin, added.id, { name: 'Seats' });
    dataOf(await updateCategory(admin, added.id, { archived: true }));
    const unit = { unit: unique(), decimals: 2 };
    dataOf(await createUnit(admin, unit));
    dataOf(await updateDefaults(admin, { tax: 0 }));
    const catalog = await loadCatalog(admin);
    expect(catalog.categories).toContainEqual({ id: added.id, name: 'Seats', archived: true });
    expect(catalog.units).toContainEqual(unit);
    expect(catalog.defaults.product.tax).toBe(0);
  });

  it('adds a category once, even if the response is lost', async () => {
    const [shown, name] = [await loadCatalog(admin), unique()];
    await loseAnswers(() => createCategory(admin, shown, { name }));
    const { data } = dataOf(await createCategory(admin, shown, { name }));
    const named = (await loadCatalog(admin)).categories.filter((category) => category.name === name);
    expect(named).toEqual([data]);
    const another = dataOf(await createCategory(admin, await loadCatalog(admin), { name }));
    expect(another.data.id).not.toBe(data.id);
  });

  it('says at the input why it was refused', async () => {
    const refused = await createUnit(admin, { unit: 'un', decimals: 0 });
    expect(refused.error?.error.code).toBe('UNIT_ALREADY_EXISTS');
    const archived = await updateCategory(admin, 1, { archived: true });
    expect(archived.error && messagesOf(archived.error).inputs).toEqual({ archived: expect.any(String) });
    const reader = await createCategory(client, await loadCatalog(client), { name: 'Not mine' });
    expect(reader.response.status).toBe(403);
  });
});
