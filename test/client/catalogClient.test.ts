import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCategory, createUnit, updateCategory, updateDefaults } from '../../client/items/configureCatalog.ts';
import { createItem, forgetCreates, openCreates, resumeCreate, storedCreates } from '../../client/items/createItem.ts';
import { listItems, loadItem, loadItems } from '../../client/items/readItems.ts';
import { saveItem } from '../../client/items/saveItem.ts';
import {
  type CallerStorage,
  type Client,
  createCatalogClient,
  type Item,
  loadCatalog,
  messagesOf,
  RequestError,
  type Schemas,
} from '../../client/public/index.ts';
import { en } from '../../client/texts/en.ts';
import { pt } from '../../client/texts/pt.ts';
import { limits } from '../../lib/item/limits.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { isCreate, isRead, meetRequests } from '../support/client/meetRequests.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

type Changes = Schemas['ItemChanges'];

/** Whom the catalog names to the demo editor. */
const editor = { account: 'demo-1', user: 'editor' };

const api = await startTestApi();
const { client, newClient, hold, leave, meetAll } = await meetRequests(api);
afterEach(leave);

/** Does what a user does, while the response is lost of each write that the service carries out. */
async function loseAnswers(act: () => Promise<unknown>): Promise<void> {
  meetAll(async (request, send) => {
    const response = await send();
    if (response.ok && !isRead(request)) throw new TypeError('The connection was lost');
    return response;
  });
  await expect(act()).rejects.toMatchObject({ code: 'NO_ANSWER', status: 0, cause: expect.anything() });
  leave();
}

const create = (body: Schemas['NewItem'], storage: CallerStorage = memoryStorage()) =>
  createItem(client, body, { catalog: editor, storage });

/** Saves with a key of its own, unless it is told to try again. */
const save = (item: Item, changes: Changes, key: string = crypto.randomUUID()) =>
  saveItem(client, { item, changes, key });

const thrownBy = (act: Promise<unknown>) =>
  act.then(
    () => undefined,
    (error) => error,
  );

const namesOf = async (of: Client, search: string) =>
  (await Array.fromAsync(listItems(of, { search }))).map(({ name }) => name);

describe("a frontend's client", () => {
  it('fills the options of a form from the catalog', async () => {
    const catalog = await loadCatalog(client);
    expect(catalog.categories).toContainEqual({ id: 1, name: 'General', archived: false });
    expect(catalog.units).toContainEqual({ unit: 'un', decimals: 0 });
    expect(catalog.defaults.service.unit).toBe('hour');
    expect(catalog.permissions).toContain('catalog:edit');
    expect(catalog).toMatchObject(editor);
  });

  it('loads the items of a proposal by their ids, more than a page of them', async () => {
    const item = await create({ name: 'Line' });
    const missing = Array.from({ length: 100 }, (_, index) => 900_000 + index);
    expect(await loadItems(client, [...missing, item.id])).toEqual([item]);
  });

  it('tells a failed read from an item that does not exist, with what a program needs to know', async () => {
    const signedOut = createCatalogClient({ baseUrl: api.url, getAccessToken: async () => 'expired' });
    const unauthorized = 'The access token is missing or not valid.';
    await expect(loadItem(signedOut, 1)).rejects.toThrow(unauthorized);
    await expect(namesOf(signedOut, '')).rejects.toThrow(unauthorized);
    const lost = createCatalogClient({
      baseUrl: `${api.url}/elsewhere`,
      getAccessToken: async () => api.tokens.editor,
    });
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
    await loseAnswers(() => create({ name: 'Once', sku: 'ONCE-1' }, pending));
    const item = await resumeCreate(client, { storage: pending });
    expect(item).toMatchObject({ name: 'Once', sku: 'ONCE-1', revision: 1 });
    expect(await namesOf(client, 'Once')).toHaveLength(1);
    expect(pending.saved.size).toBe(0);
    expect(await resumeCreate(client, { storage: pending })).toBeUndefined();
  });

  it.each(['otherAccount', 'editorWithoutCost'] as const)('never sends a create for another user: %s', async (name) => {
    const pending = memoryStorage();
    await loseAnswers(() => create({ name: `For ${name} to see` }, pending));
    const other = clientOf(api, name);
    expect(await resumeCreate(other, { storage: pending })).toBeUndefined();
    expect(await namesOf(other, `For ${name}`)).toEqual(name === 'otherAccount' ? [] : [`For ${name} to see`]);
    expect(pending.saved.size).toBe(0);
  });

  it('never sends to one service what was left open for another, nor forgets it', async () => {
    const pending = memoryStorage();
    await loseAnswers(() => create({ name: 'For one service' }, pending));
    const other = { ...client, service: 'https://other.example.com' };
    expect(await resumeCreate(other, { storage: pending })).toBeUndefined();
    expect(openCreates(other, editor, pending)).toEqual([]);
    expect(await resumeCreate(client, { storage: pending })).toMatchObject({ name: 'For one service', revision: 1 });
  });

  it('sends nothing that was left open before the sign-out, or a day ago', async () => {
    const pending = memoryStorage();
    const leaveOpen = () => loseAnswers(() => create({ name: 'Left open' }, pending));
    await leaveOpen();
    forgetCreates(pending);
    expect(await resumeCreate(client, { storage: pending })).toBeUndefined();
    await leaveOpen();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 3_600_000 });
    // To try again protects it no longer.
    await leaveOpen();
    vi.setSystemTime(Date.now() + 12 * 3_600_000);
    expect(await resumeCreate(client, { storage: pending })).toBeUndefined();
    expect(pending.saved.size).toBe(0);
  });

  it('keeps a create that is still open while it cannot tell whose it is', async () => {
    const pending = memoryStorage();
    await loseAnswers(() => create({ name: 'Signed out' }, pending));
    const expired = createCatalogClient({ baseUrl: api.url, getAccessToken: async () => 'expired' });
    await expect(resumeCreate(expired, { storage: pending })).rejects.toMatchObject({ status: 401 });
    expect((await resumeCreate(client, { storage: pending }))?.name).toBe('Signed out');
  });

  it('sends nothing if the user signs out while the client asks whose it is', async () => {
    const pending = memoryStorage();
    await loseAnswers(() => create({ name: 'Abandoned' }, pending));
    const { sent, release } = hold(isRead);
    const resumed = resumeCreate(client, { storage: pending });
    await sent;
    forgetCreates(pending);
    release();
    expect(await resumed).toBeUndefined();
  });

  it('keeps all creates that are open, and sends an equal one once', async () => {
    const pending = memoryStorage();
    const bodies = [{ name: 'Open 1' }, { name: 'Open 2' }, { name: 'Open 3' }];
    for (const body of bodies) await loseAnswers(() => create(body, pending));
    await create({ name: 'Open 2' }, pending);
    storedCreates(pending).write(openCreates(client, editor, pending)[0]?.key ?? '', undefined);
    expect((await resumeCreate(client, { storage: pending }))?.name).toBe('Open 3');
    expect(await resumeCreate(client, { storage: pending })).toBeUndefined();
    expect(await namesOf(client, 'Open ')).toEqual(['Open 1', 'Open 2', 'Open 3']);
  });

  it('keeps a create that is still open when an earlier one is answered', async () => {
    const pending = memoryStorage();
    const { sent, release } = hold(isCreate);
    const earlier = create({ name: 'Earlier' }, pending);
    await sent;
    await loseAnswers(() => create({ name: 'Still open' }, pending));
    release();
    await earlier;
    expect((await resumeCreate(client, { storage: pending }))?.name).toBe('Still open');
  });

  it('shows at the inputs why a create failed, and does not retry it', async () => {
    const pending = memoryStorage();
    const body = { name: ' ', cost: -1, metadata: { size: [1e300], 'a/b': 1e300 } };
    expect(messagesOf(await thrownBy(create(body, pending)))).toEqual({
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
    const item = await create({ name: 'Owner', pn: 'TAKEN' });
    const taken = await thrownBy(create({ name: 'Other', pn: 'TAKEN' }));
    expect(messagesOf(taken).inputs).toEqual({ pn: `is used by item ${item.id}` });
    const thrown = await thrownBy(create({ name: 'x'.repeat(151), pn: 'OTHER', value: 1e9 }));
    expect(messagesOf(thrown, pt)).toEqual({
      form: '',
      inputs: { name: 'Deve ter no máximo 150 caracteres.', value: 'Deve ser no máximo 99.999.999,9999.' },
    });
    expect(messagesOf(taken, en).inputs).toEqual({ pn: `Item ${item.id} has it already.` });
    const unknown = { code: 'NEW', message: 'New', fields: [{ field: 'sku', reason: 'is new', rule: 'new' as 'min' }] };
    expect(messagesOf(unknown, en).inputs).toEqual({ sku: 'is new' });
    const reader = clientOf(api, 'reader');
    const refused = await thrownBy(saveItem(reader, { item, changes: { value: 1 }, key: 'key' }));
    expect(messagesOf(refused)).toEqual({
      form: 'The access token does not permit this operation.',
      inputs: {},
    });
  });

  it('saves nothing twice, even if somebody else has saved between a lost response and the retry', async () => {
    const form = await create({ name: 'Desk', value: 10 });
    const [changes, key] = [{ value: 55 }, crypto.randomUUID()];
    await save(form, { name: 'Oak desk' });
    await loseAnswers(() => save(form, changes, key));
    const now = await loadItem(client, form.id);
    if (now === null) throw new Error('There is no item');
    await save(now, { value: 70 });
    const { item, others } = await save(form, changes, key);
    expect([item.value, others.map(({ name }) => name)]).toEqual([70, ['name', 'value']]);
    expect((await loadItem(client, form.id))?.revision).toBe(4);
  });

  it('sees no conflict in its own update, whose response was lost and whose key is not sent again', async () => {
    const form = await create({ name: 'Desk', value: 10, sku: 'OURS', metadata: { a: 1, b: 1 } });
    const changes = { value: 55, sku: null, metadata: { a: 2, b: null } };
    await loseAnswers(() => save(form, changes));
    const saved = await save(form, changes);
    expect(saved.item).toMatchObject({ value: 55, sku: null, metadata: { a: 2 } });
  });
});

describe('behind a proxy that changes headers', () => {
  it.each([['W/"%"'], ['"%-gzip"'], ['*'], [undefined]])('a save is of the revision in the body: %s', async (etag) => {
    const matched: (string | null)[] = [];
    const behind = clientOf(api, 'editor', async (request) => {
      matched.push(request.headers.get('if-match'));
      const response = await fetch(request);
      const { headers, status } = response;
      const changed = new Headers(headers);
      changed.delete('etag');
      if (etag !== undefined) changed.set('etag', etag.replace('%', headers.get('etag')?.slice(1, -1) ?? ''));
      return new Response(await response.text(), { headers: changed, status });
    });
    const item = await create({ name: 'Tagged', value: 10 });
    const form = await loadItem(behind, item.id);
    if (form === null) throw new Error('There is no item');
    await save(form, { value: 50 });
    const conflict = { name: 'ConflictError', status: 412, names: ['value'], item: { value: 50, revision: 2 } };
    const second = saveItem(behind, { item: form, changes: { value: 70 }, key: 'one' });
    await expect(second).rejects.toMatchObject(conflict);
    const third = await saveItem(behind, { item: form, changes: { tag: 'x' }, key: 'another' });
    expect(third.item).toMatchObject({ value: 50, tag: 'x' });
    expect(matched).toEqual([null, '"1"', '"1"', '"2"']);
  });
});

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
])('after %j, a save of %j keeps both, or saves nothing and names what both changed', async (theirs, ours, names) => {
  const form = await create({ name: 'Sand', qty: 1, unit: 'un', metadata: { a: 1 } });
  await save(form, theirs);
  const outcome = await save(form, ours).catch((error) => error);
  expect(outcome.names).toEqual(names);
  const saved = names === undefined ? ours : {};
  const metadata = Object.entries({ a: 1, ...theirs.metadata, ...saved.metadata }).filter(
    ([, value]) => value !== null,
  );
  expect(outcome.item).toMatchObject({ ...theirs, ...saved, metadata: Object.fromEntries(metadata) });
});

describe('a settings page', () => {
  const unique = () => crypto.randomUUID().slice(0, 8);
  const admin = newClient('admin');

  it('adds a category, renames and archives it, registers a unit, and sets the defaults', async () => {
    const shown = await loadCatalog(admin);
    const added = await createCategory(admin, { name: 'Chairs' }, { catalog: shown });
    await updateCategory(admin, { id: added.id, name: 'Seats' });
    await updateCategory(admin, { id: added.id, archived: true });
    const unit = { unit: unique(), decimals: 2 };
    await createUnit(admin, unit);
    await updateDefaults(admin, { tax: 0 });
    const catalog = await loadCatalog(admin);
    expect(catalog.categories).toContainEqual({ id: added.id, name: 'Seats', archived: true });
    expect(catalog.units).toContainEqual(unit);
    expect(catalog.defaults.product.tax).toBe(0);
  });

  it('adds a category once, even if the response is lost, or another tab adds it at the same time', async () => {
    const [shown, name] = [await loadCatalog(admin), unique()];
    await loseAnswers(() => createCategory(admin, { name }, { catalog: shown }));
    const added = await createCategory(admin, { name }, { catalog: shown });
    const named = (await loadCatalog(admin)).categories.filter((category) => category.name === name);
    expect(named).toEqual([added]);
    const another = await createCategory(admin, { name }, { catalog: await loadCatalog(admin) });
    expect(another.id).not.toBe(added.id);
    const both = { name: unique() };
    const tabs = await Promise.all([1, 2].map(() => createCategory(admin, both, { catalog: shown })));
    expect(tabs[1]).toEqual(tabs[0]);
  });

  it('says at the input why it was refused', async () => {
    const unit = createUnit(admin, { unit: 'un', decimals: 0 });
    await expect(unit).rejects.toMatchObject({ code: 'UNIT_ALREADY_EXISTS' });
    const archived = await thrownBy(updateCategory(admin, { id: 1, archived: true }));
    expect(messagesOf(archived).inputs).toEqual({ archived: expect.any(String) });
    const reader = createCategory(client, { name: 'Not mine' }, { catalog: await loadCatalog(client) });
    await expect(reader).rejects.toMatchObject({ status: 403 });
  });
});
