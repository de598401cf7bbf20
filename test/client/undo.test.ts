import { afterEach, expect, it, vi } from 'vitest';
import { latestCursor, listItemChanges } from '../../client/items/followChanges.ts';
import { loadItems, loadPage } from '../../client/items/readItems.ts';
import { importRows, lastImports } from '../../client/public/importRows.ts';
import { type CallerStorage, type Client, type Item, type Schemas, unwrap } from '../../client/public/index.ts';
import { preview, type UndoOptions, undo } from '../../client/undo/undoChanges.ts';
import { forgetUndos } from '../../client/undo/undoJournal.ts';
import type { UndoTarget } from '../../client/undo/undoTarget.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { sendFewRows } from '../support/setup/sendFewRows.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';
import { hurry } from '../support/time/hurry.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

const from = new Date();
const api = await startTestApi({ recordsChanges: true });
sendFewRows();
const ann = clientOf(api);
const bob = clientOf(api, 'editorWithoutCost');
afterEach(() => void vi.unstubAllGlobals());

let used = 0;
const create = async (client: Client, body: Partial<Schemas['NewItem']>): Promise<number> =>
  unwrap(await client.POST('/api/v1/api/v1/items', { body: { name: `Undo ${++used}`, ...body } })).data.id;
const update = async (client: Client, id: number, body: Schemas['ItemChanges']) =>
  unwrap(await client.PUT('/api/v1/api/v1/items/{id}', { params: { path: { id } }, body }));
const items = async (ids: readonly number[]): Promise<Item[]> =>
  (await loadItems(ann, ids)).sort((a, b) => a.id - b.id);
const codes = async (ids: readonly number[]) => (await items(ids)).map(({ sku }) => sku);

/** What Ann has changed of items, once that is recorded. */
async function targetIn(ids: readonly number[]): Promise<UndoTarget> {
  for (const { id, revision } of await items(ids))
    await vi.waitUntil(async () => (await listItemChanges(ann, id).next()).value?.revision === revision, {
      timeout: 60_000,
    });
  return { users: ['editor'], from, to: new Date(), items: ids };
}

/** @returns the last progress */
async function run(client: Client, target: UndoTarget, options: Partial<UndoOptions> = {}) {
  const all = { storage: memoryStorage(), interval: 20, ...options };
  return (await Array.fromAsync(undo(client, target, all))).at(-1);
}

/** How many undos a storage has that are not at their end. */
const openIn = (storage: CallerStorage): number =>
  Object.values<{ isOver?: boolean }>(JSON.parse(storage.getItem('catalog.undo') ?? '{}')).filter(
    ({ isOver }) => isOver !== true,
  ).length;

/** An item of Bob's whose value 1 Ann has changed to 2. */
async function changed() {
  const id = await create(bob, { value: 1 });
  await update(ann, id, { value: 2 });
  return { id, target: await targetIn([id]) };
}

/** Items of Bob's whose codes Ann has moved on by one. */
async function shifted(size: number) {
  const ids: number[] = [];
  for (let index = 0; index < size; index += 1) ids.push(await create(bob, { sku: `Ring ${used}-${index}` }));
  const before = await codes(ids);
  for (const id of ids) await update(ann, id, { sku: null });
  for (const [index, id] of ids.entries()) await update(ann, id, { sku: before[index + 1] ?? `Ring free ${used}` });
  return { ids, before };
}

it('undo puts back what a user changed, as previewed, keeps what others wrote, and twice does nothing', async () => {
  const chair = await create(bob, { name: 'Chair', value: 10, metadata: { color: 'red', 'a/b': 1 } });
  const desk = await create(bob, { value: 20, sku: 'Undo D' });
  await update(ann, chair, { name: 'Wrong', value: 1, metadata: { color: null, 'a/b': 2 } });
  await update(bob, chair, { value: 11, description: 'With arms' });
  await update(ann, desk, { sku: null });
  const taker = await create(bob, { sku: 'Undo D' });
  const stray = await create(ann, { sku: 'Undo S' });
  const ids = [chair, desk, stray];
  const [target, before] = [await targetIn(ids), await items(ids)];
  const previewed = await preview(ann, target);
  expect(previewed.summary).toEqual([
    ...[{ field: undefined, result: 'put back', by: undefined, count: 1 }],
    ...['name', 'metadata.a/b', 'metadata.color'].map((field) => ({ field, result: 'put back', count: 1 })),
    { field: 'value', result: 'changed since', by: 'editor-without-cost', count: 1 },
    { field: 'sku', result: 'identifier taken', count: 1 },
  ]);
  expect(previewed.report.map(({ field, before: value, now, result }) => [field, value, now, result])).toEqual([
    ['name', 'Chair', 'Wrong', 'put back'],
    ['value', 10, 11, 'changed since'],
    ['metadata.a/b', 1, 2, 'put back'],
    ['metadata.color', 'red', null, 'put back'],
    ['sku', 'Undo D', null, 'identifier taken'],
    ['active', false, true, 'put back'],
    ['sku', null, 'Undo S', 'put back'],
  ]);
  expect(await items(ids)).toEqual(before);
  const storage = memoryStorage();
  expect(await run(ann, target, { storage })).toMatchObject({ updates: 2, left: 0, rejected: new Map() });
  expect(openIn(storage)).toBe(0);
  const after = await items(ids);
  expect(after).toMatchObject([
    { name: 'Chair', value: 11, description: 'With arms', metadata: { color: 'red', 'a/b': 1 }, updated_by: 'editor' },
    { sku: null, revision: 2 },
    { active: false, sku: null },
  ]);
  expect(await codes([taker])).toEqual(['Undo D']);
  expect(await run(ann, target)).toMatchObject({ updates: 0, left: 0 });
  expect(await run(ann, await targetIn([chair]))).toMatchObject({ updates: 0, left: 0 });
  expect(await items(ids)).toEqual(after);
});

it('undo writes over nothing that others have written between its reading and its update', async () => {
  const { id, target } = await changed();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.url.endsWith('/batch')) {
      vi.stubGlobal('fetch', fetch);
      await update(bob, id, { value: 7 });
    }
    return fetch(request);
  });
  const report = [{ result: 'changed since', by: 'editor-without-cost' }];
  expect(await run(ann, target)).toMatchObject({ updates: 0, left: 0, report });
  expect(await items([id])).toMatchObject([{ value: 7 }]);
});

it('undo goes on with what its storage has, although its page is closed after each of its answers', async () => {
  const { ids, before } = await shifted(4);
  const [target, storage] = [await targetIn(ids), memoryStorage()];
  let closed = 0;
  for (; closed < 10 && (await codes(ids)).join() !== before.join(); closed += 1) {
    const page = new AbortController();
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (request: Request) => {
      const response = await fetch(request);
      if (!request.url.endsWith('/batch')) return response;
      page.abort();
      throw new TypeError('The page is closed');
    });
    await run(bob, target, { storage, signal: page.signal });
    vi.unstubAllGlobals();
  }
  expect(closed).toBe(4);
  expect(await run(bob, target, { storage })).toMatchObject({ updates: 0, left: 0 });
  expect([await codes(ids), openIn(storage)]).toEqual([before, 0]);
});

it.each([1, 2])('undo puts everything back from two tabs, of which one begins after %i answers', async (answers) => {
  const { ids, before } = await shifted(3);
  const [target, storage] = [await targetIn(ids), memoryStorage()];
  let answered = 0;
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (request: Request) => {
    const response = await fetch(request);
    if (request.url.endsWith('/batch')) answered += 1;
    return response;
  });
  const first = run(bob, target, { storage });
  await vi.waitUntil(() => answered >= answers, { timeout: 60_000, interval: 1 });
  await Promise.all([first, run(bob, target, { storage })]);
  expect([await codes(ids), openIn(storage)]).toEqual([before, 0]);
});

it('an undo that is aborted keeps what it has made at once, and nothing after a sign-out', async () => {
  const ids: number[] = [];
  for (let count = 0; count < 6; count += 1) ids.push(await create(bob, { value: 1 }));
  for (const id of ids) await update(ann, id, { value: 2 });
  const [storage, page] = [memoryStorage(), new AbortController()];
  const target = await targetIn(ids);
  let kept = 0;
  for await (const { updates } of undo(ann, target, { storage, interval: 20, signal: page.signal })) {
    if (updates === 0) continue;
    page.abort();
    kept = openIn(storage);
    forgetUndos(storage);
  }
  expect([kept, storage.saved.size]).toEqual([1, 0]);
});

it('preview and undo wait until an import’s writes are recorded, and say of how many items they are', async () => {
  const [storage, begin] = [memoryStorage(), await latestCursor(ann)];
  const rows = [1, 2, 3].map((value) => ({ name: `Undo ${++used}`, value }));
  for await (const _ of importRows(ann, rows, { storage, interval: 20 }));
  setAhead(1_100);
  const [target] = lastImports(ann, { account: 'demo-1', user: 'editor' }, { storage });
  if (target === undefined) throw new Error('Nothing is known of the import');
  let late = Number.POSITIVE_INFINITY;
  const lagging = clientOf(api, 'editor', async (request) => {
    if (!request.url.includes('/changes?') || late-- <= 0) return fetch(request);
    return Response.json({ data: [], next_cursor: begin, has_more: false });
  });
  hurry();
  const { report, known, recorded } = await preview(lagging, target);
  expect([report, known, recorded]).toEqual([[], 3, 0]);
  expect(await run(lagging, target, { storage })).toMatchObject({ updates: 0, left: 0, report: [], recorded: 0 });
  expect(lastImports(ann, { account: 'demo-1', user: 'editor' }, { storage })).toHaveLength(1);
  late = 3;
  const onProgress = vi.fn();
  expect((await preview(lagging, target, { onProgress })).summary).toMatchObject([{ result: 'put back', count: 3 }]);
  expect(onProgress).toHaveBeenLastCalledWith(expect.objectContaining({ known: 3, recorded: 3 }));
  late = 3;
  expect(await run(lagging, target, { storage })).toMatchObject({ updates: 3, left: 0 });
});

it('preview and undo read the histories of the items where these are fewer requests than the feed', async () => {
  const { id, target } = await changed();
  const rows = Array.from({ length: 40 }, (_, index) => ({ name: `Undo later ${index}` }));
  unwrap(await bob.POST('/api/v1/api/v1/items/batch', { body: { rows } }));
  const later = await loadPage(ann, { search: 'Undo later' });
  await targetIn(later.data.map((item) => item.id));
  let requests = 0;
  const counting = clientOf(api, 'editor', (request) => {
    if (request.url.includes('/changes')) requests += 1;
    return fetch(request.method === 'GET' ? request.url.replace('limit=100', 'limit=5') : request, request);
  });
  expect((await preview(counting, target)).report).toMatchObject([{ before: 1, now: 2, result: 'put back' }]);
  // A page of the feed, where it ends, the history, and twice what is new.
  expect(requests).toBe(5);
  expect(await run(counting, target)).toMatchObject({ updates: 1, left: 0 });
  expect(await items([id])).toMatchObject([{ value: 1 }]);
});

it('who may not see the cost neither sees nor undoes it', async () => {
  const id = await create(ann, { cost: 5 });
  await update(bob, id, { name: 'Renamed' });
  await update(ann, id, { cost: 6, value: 7 });
  const target = await targetIn([id]);
  const updates: UndoTarget = { ...target, kinds: ['updated'] };
  expect((await preview(bob, updates)).report.map(({ field }) => field)).toEqual(['value']);
  await run(bob, updates);
  expect(await items([id])).toMatchObject([{ cost: 6, value: 0 }]);
});

it('undo goes on by itself after failures, and says so', async () => {
  const { id, target } = await changed();
  const { fetch } = globalThis;
  let requests = 0;
  const fail = () => Promise.reject(new TypeError('Failed to fetch'));
  vi.stubGlobal('fetch', (request: Request) => (++requests % 2 === 1 ? fail() : fetch(request)));
  const onFailure = vi.fn();
  expect(await run(bob, target, { onFailure })).toMatchObject({ updates: 1, left: 0 });
  expect(onFailure).toHaveBeenCalledWith(expect.any(Error));
  vi.unstubAllGlobals();
  expect(await items([id])).toMatchObject([{ value: 1 }]);
});

const invalid = { code: 'VALIDATION_FAILED', message: 'No', fields: [{ field: 'value', reason: 'must not be 1' }] };
it.each([
  [422, invalid, 'value must not be 1'],
  [500, { code: 'INTERNAL_ERROR', message: 'It failed' }, 'It failed'],
])('an item that is refused (%i) is told with the reason, and stops no other', async (status, error, reason) => {
  const ids = [await create(bob, { value: 1 }), await create(bob, { value: 1 })];
  for (const id of ids) await update(ann, id, { value: 2 });
  const target = await targetIn(ids);
  hurry();
  const byKey = new Map<string, Set<string>>();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (request: Request) => {
    if (!request.url.endsWith('/batch')) return fetch(request);
    const body = await request.clone().json();
    const { rows, match } = body as { rows: { id: number }[]; match: { keys: string[] } };
    for (const [index, row] of rows.entries()) {
      const key = match.keys[index] ?? '';
      byKey.set(key, (byKey.get(key) ?? new Set()).add(JSON.stringify(row)));
    }
    const sent = rows.filter(({ id }) => id !== ids[0]);
    if (sent.length === 0)
      return status === 500 ? Response.json({ error }, { status }) : Response.json({ data: [{ status, error }] });
    const response = await fetch(new Request(request, { body: JSON.stringify({ rows: sent }) }));
    const { data } = (await response.json()) as { data: object[] };
    return Response.json({ data: rows.map(({ id }) => (id === ids[0] ? { status, error } : data.shift())) });
  });
  const storage = memoryStorage();
  expect(await run(bob, target, { storage })).toMatchObject({
    updates: 1,
    left: 0,
    rejected: new Map([[ids[0], reason]]),
    report: [
      { item: ids[0], field: 'value', result: 'refused' },
      { item: ids[1], field: 'value', result: 'right already' },
    ],
  });
  // It goes on later, and a key is never used for other rows.
  expect(openIn(storage)).toBe(1);
  expect([...byKey.values()].map(({ size }) => size)).toEqual([...byKey.keys()].map(() => 1));
  expect(await items(ids)).toMatchObject([{ value: 2 }, { value: 1 }]);
});

it('preview says how far it is, and asks for no page of changes twice', async () => {
  const { items: _, ...target } = (await changed()).target;
  const asked = vi.fn(fetch);
  const client = clientOf(api, 'editor', asked);
  const onProgress = vi.fn();
  await preview(client, { ...target, kinds: undefined, fields: ['value'] }, { onProgress });
  const pages = asked.mock.calls.filter(([request]) => (request as Request).url.includes('/changes?'));
  const { changes, newestWrite = '', known } = onProgress.mock.lastCall?.[0] ?? {};
  expect([changes >= 2, Date.parse(newestWrite) > +from - 1_000, known]).toEqual([true, true, 0]);
  // After the last page, one more: what is recorded while the items are read.
  expect(pages.length).toBe(Math.ceil(changes / 100) + 1);
});

it('undo refuses a time that has not passed, fields that there are not, and a user who may not write', async () => {
  const { target } = await changed();
  const later = { ...target, to: new Date(Date.now() + 60_000) };
  for (const wrong of [later, { ...target, to: from }])
    await expect(preview(ann, wrong)).rejects.toThrow('An undo ends at a later time, which has passed.');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  await expect(preview(ann, target)).resolves.toMatchObject({ report: [{ result: 'put back' }] });
  vi.useRealTimers();
  const misspelt = { ...target, fields: ['value', 'metadata.x', 'valeu'] };
  await expect(preview(ann, misspelt)).rejects.toThrow('There is no field valeu.');
  await expect(run(ann, misspelt)).rejects.toThrow('There is no field valeu.');
  const reader = clientOf(api, 'reader');
  await expect(run(reader, target)).rejects.toMatchObject({ name: 'RequestError', status: 403 });
});

it('two imports of one moment go back, the newest undone first, and then are no suggestion any more', async () => {
  const [ids, storage] = [[await create(bob, { value: 10 })], memoryStorage()];
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  for (const value of [20, 30]) {
    const rows = ids.map((id) => ({ id, value }));
    for await (const _ of importRows(ann, rows, { storage, interval: 20 }));
  }
  vi.useRealTimers();
  // An undo begins when its time has passed.
  setAhead(2_100);
  const caller = { account: 'demo-1', user: 'editor' };
  for (const due of [20, 10]) {
    const [target] = lastImports(ann, caller, { storage });
    if (target === undefined) throw new Error('Nothing is known of the import');
    expect((await preview(ann, target, { storage })).report).toMatchObject([{ before: due, result: 'put back' }]);
    // The page is closed after its update, and opened again.
    for await (const { updates } of undo(ann, target, { storage, interval: 20 })) if (updates > 0) break;
    await run(ann, target, { storage });
    expect(await items(ids)).toMatchObject([{ value: due }]);
  }
  expect(lastImports(ann, caller, { storage })).toEqual([]);
});
