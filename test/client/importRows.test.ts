import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listItems, loadItem } from '../../client/items/readItems.ts';
import {
  forgetImports,
  ImportExpired,
  type ImportOptions,
  type ImportProgress,
  importRows,
  lastImports,
  type Row,
} from '../../client/public/importRows.ts';
import type { CallerStorage } from '../../client/public/index.ts';
import { previewRows } from '../../client/public/previewRows.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { create, update } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { sendFewRows } from '../support/setup/sendFewRows.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';
import { hurry } from '../support/time/hurry.ts';

const api = await startTestApi();
sendFewRows();
const client = clientOf(api);
afterEach(() => void vi.unstubAllGlobals());

/** Whom the catalog names. */
const editor = { account: 'demo-1', user: 'editor' };
let used = 0;
/** A beginning of names that no other test uses. */
const unused = () => `Import ${++used}`;
const rowsOf = (name: string, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${name}, ${index}` }));

const start = (rows: readonly Row[], options: Partial<ImportOptions> = {}) =>
  importRows(client, rows, { storage: memoryStorage(), interval: 20, ...options });

/** All progress that an import makes. */
const steps = (running: ReturnType<typeof start>) => Array.fromAsync(running);

/** What was rejected in all of an import, by places. */
const rejectsIn = (seen: readonly ImportProgress[]) =>
  seen
    .flatMap(({ rejectedRows }) => rejectedRows)
    .map(({ line: row, status, error }) => ({ row, status, error }))
    .sort((a, b) => a.row - b.row);

const previewed = async (rows: readonly Row[]) => (await Array.fromAsync(previewRows(client, rows))).at(-1);

/** The end of an import, and the rejects of all of it. */
async function run(...args: Parameters<typeof start>) {
  const seen = await steps(start(...args));
  const { done, rejected, left, replayed } = seen.at(-1) ?? {};
  return {
    done,
    rejected,
    left,
    replayed,
    rejects: rejectsIn(seen),
  };
}

const itemsOf = (name: string) => Array.fromAsync(listItems(client, { search: name, limit: 100 }));
const namesOf = async (search: string) => (await itemsOf(search)).map(({ name }) => name);

/** @param refused the indexes of rows that are not written */
async function expectOnce(name: string, rows: readonly Row[], refused: readonly number[] = []): Promise<void> {
  const written = rows.filter((_, index) => !refused.includes(index));
  expect((await namesOf(name)).sort()).toEqual(written.map((row) => String(row.name)).sort());
}

/** The notes on imports that are not at their end. */
const openIn = (storage: CallerStorage) =>
  Object.values<{ isOver?: boolean }>(JSON.parse(storage.getItem('catalog.imports') ?? '{}')).filter(
    ({ isOver }) => isOver !== true,
  );

const created = async (fields: JsonObject): Promise<number> =>
  JSON.parse((await api.send(create({ name: 'Chair', ...fields }))).text).data.id;
const current = async (id: number) => (await loadItem(client, id)) ?? undefined;

interface Sent {
  readonly keys: readonly string[];
  readonly rows: Row[];
  readonly bytes: number;
}

/** From now on, answers batches differently, but those of previews. @returns what was sent */
function stubBatches(answer: (send: () => Promise<Response>, number: number) => Promise<Response>): Sent[] {
  const { fetch } = globalThis;
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    if (!request.url.endsWith('/batch')) return fetch(request);
    const text = await request.clone().text();
    const { rows, match, dry_run } = JSON.parse(text);
    if (dry_run === true) return fetch(request);
    sent.push({ keys: match.keys, rows, bytes: Buffer.byteLength(text) });
    // What is on its way is written, also if nobody waits for it any more.
    return answer(() => fetch(new Request(request.clone(), { signal: null })), sent.length);
  });
  return sent;
}

const refusal = (status: number, code = 'INTERNAL_ERROR') =>
  Response.json({ error: { code, message: code } }, { status });

/** Sends a batch until the service, which may be busy, has decided all of its rows. */
async function sendAll(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    const { data } = (await response.clone().json()) as { data?: readonly { status: number }[] };
    if (data?.every(({ status }) => status < 500) === true) return response;
  }
}

/** The page is closed after some answers. What was sent meanwhile is written, and its answers are lost. */
async function closeAfter(answers: number, ...args: Parameters<typeof start>): Promise<void> {
  const [closed, answered] = [new AbortController(), Promise.withResolvers<void>()];
  const { fetch } = globalThis;
  const batches: string[] = [];
  const written: Promise<Response>[] = [];
  const sent: Sent[] = stubBatches(async (send, request) => {
    // What got no answer in time is sent again.
    const [key = ''] = sent[request - 1]?.keys ?? [];
    if (!batches.includes(key)) batches.push(key);
    const number = batches.indexOf(key) + 1;
    if (number > answers + 2) return new Promise(() => undefined);
    const sending = sendAll(send);
    written.push(sending);
    const response = await sending;
    if (number <= answers) return response;
    await answered.promise;
    closed.abort();
    throw new TypeError('The page is closed');
  });
  let seen = 0;
  for await (const _ of start(args[0], { ...args[1], signal: closed.signal }))
    if (seen++ === answers) answered.resolve();
  await Promise.all(written);
  vi.stubGlobal('fetch', fetch);
}

describe('importRows', () => {
  it('writes each row once, and tells the progress and why rows were refused, with their places', async () => {
    const name = unused();
    const rows = rowsOf(name, 15);
    rows[7] = { name: `${name}, broken`, cost: -1, metadata: { size: [1e300] } };
    rows[9] = { name: 'x'.repeat(151) };
    rows[14] = {};
    const storage = memoryStorage();
    const seen = await steps(start(rows, { storage }));
    expect(seen.map(({ left }) => left)).toEqual([12, expect.any(Number), expect.any(Number), 0]);
    const none = {
      done: 0,
      replayed: 0,
      unchanged: 0,
      created: 0,
      updated: 0,
      rejected: 3,
      rowsPerSecond: 0,
    };
    expect(seen[0]).toMatchObject({ ...none, left: 12, isSaved: true });
    expect(seen[3]).toMatchObject({ done: 12, replayed: 0, created: 12, updated: 0, rejected: 3, left: 0 });
    expect(seen[3]?.rowsPerSecond).toBeGreaterThan(0);
    const rejects = rejectsIn(seen);
    expect(rejects.map(({ row, status, error }) => [row, status, error.fields?.map(({ field }) => field)])).toEqual([
      [8, 422, ['cost', 'metadata']],
      [10, 422, ['name']],
      [15, 422, ['name']],
    ]);
    const [cost] = rejects[0]?.error.fields ?? [];
    expect(cost).toMatchObject({ field: 'cost', rule: 'min', limit: limits.cost.min, reason: expect.any(String) });
    await expectOnce(name, rows, [7, 9, 14]);
    expect(openIn(storage)).toEqual([]);
  });

  it('takes no rows, too', async () => {
    expect(await run([])).toEqual({ done: 0, rejected: 0, left: 0, replayed: 0, rejects: [] });
  });

  it.each([0, 2])('goes on after %i answers where the page was closed, and writes no row twice', async (answers) => {
    const [name, storage] = [unused(), memoryStorage()];
    const rows = rowsOf(name, 16);
    rows[3] = { name: ' ' };
    rows[15] = { name: `${name}, broken`, value: -1 };
    await closeAfter(answers, rows, { storage });
    const first = (await start(rows, { storage }).next()).value;
    expect(first).toMatchObject({ rejected: 2, left: 14 - 5 * answers });
    const { rejects, ...end } = await run(rows, { storage });
    expect(end).toEqual({ done: 14, rejected: 2, left: 0, replayed: expect.any(Number) });
    expect(end.replayed).toBeGreaterThan(0);
    expect(rejects.map(({ row }) => row)).toEqual([4, 16]);
    await expectOnce(name, rows, [3, 15]);
    expect(openIn(storage)).toEqual([]);
  });

  it.each([
    ['share a storage', true],
    ['have storages of their own', false],
  ])('writes each row once from two tabs that %s', async (_, isShared) => {
    const [name, one] = [unused(), memoryStorage()];
    const other = isShared ? one : memoryStorage();
    const rows = rowsOf(name, 11);
    rows[10] = { name: ' ' };
    const ends = await Promise.all([run(rows, { storage: one }), run(rows, { storage: other })]);
    for (const end of ends) expect(end).toMatchObject({ done: 10, rejected: 1, left: 0, rejects: [{ row: 11 }] });
    await expectOnce(name, rows, [10]);
    expect([...openIn(one), ...openIn(other)]).toEqual([]);
  });

  it('creates each equal row once, also from a corrected list, and once more with another key', async () => {
    const name = unused();
    const rows = [{ name, value: 1, active: 1 }, { name, value: 1, active: 1 }, { name: ' ' }];
    const corrected = [{ name: `${name}, new` }, { active: true, value: 1, name }, rows[0] ?? {}] as Row[];
    expect(await run(rows as Row[])).toMatchObject({ done: 2, replayed: 0, rejected: 1 });
    expect(await run(corrected)).toMatchObject({ done: 3, replayed: 2 });
    expect(await namesOf(name)).toHaveLength(3);
    expect(await run(corrected, { key: 'again' })).toMatchObject({ done: 3, replayed: 0 });
  });

  it.each(['sku', 'pn'] as const)('applies updates and matched rows again that are given again: %s', async (match) => {
    const code = unused();
    const price = async () => (await listItems(client, { [match]: code }).next()).value?.value;
    const [base, promotion] = [100, 80].map((value) => [{ name: code, [match]: code, value }] as const);
    for (const [rows = [], value] of [
      [base, 100],
      [promotion, 80],
      [base, 100],
    ] as const) {
      expect(await run(rows, { match })).toMatchObject({ done: 1, replayed: 0 });
      expect(await price()).toBe(value);
    }
    const id = (await listItems(client, { [match]: code }).next()).value?.id ?? 0;
    for (const value of [1, 2, 1]) await run([{ id, value }]);
    expect(await price()).toBe(1);
  });

  it('repeats a batch with its key while rows of it are open, says so, and counts each row once', async () => {
    const name = unused();
    hurry();
    const rows = [...rowsOf(name, 4), { name: ' ' }];
    const sent = stubBatches(async (send, number) => {
      const response = await send();
      if (number > 2) return response;
      const { data } = (await response.json()) as { data: object[] };
      data[number === 1 ? 2 : 0] = { status: 503, error: { code: 'SERVICE_UNAVAILABLE', message: 'Busy' } };
      return Response.json({ data });
    });
    const onFailure = vi.fn();
    expect(await run(rows, { onFailure })).toMatchObject({ done: 4, rejected: 1, replayed: 1, rejects: [{ row: 5 }] });
    expect(sent.map((batch) => batch.rows.length)).toEqual([4, 1, 1]);
    expect(new Set(sent.flatMap(({ keys }) => keys)).size).toBe(4);
    expect(onFailure.mock.calls).toEqual([[expect.any(Error)], [expect.any(Error)]]);
    await expectOnce(name, rows, [4]);
  });

  it('goes on only with what equal rows meant, not with other options', async () => {
    const name = unused();
    const rows = rowsOf(name, 6).map((row, index) => ({ ...row, sku: `${name} ${index}` }));
    const options = { storage: memoryStorage(), match: 'sku' } as const;
    await closeAfter(1, rows, options);
    const { length: written } = await namesOf(name);
    expect(await run(rows, { ...options, create: false })).toMatchObject({ done: written, rejected: 6 - written });
    expect((await steps(start(rows, { ...options, key: 'again' }))).at(-1)).toMatchObject({
      unchanged: written,
      left: 0,
    });
  });

  it('is another import once a repeated row is removed, after which the rows have other places', async () => {
    const [storage, stopped] = [memoryStorage(), new AbortController()];
    const ids = [await created({ value: 1 }), await created({ value: 2 }), await created({ value: 3 })];
    const [first = {}, ...others] = ids.map((id): Row => ({ id, value: 10 * id }));
    stubBatches(async () => {
      stopped.abort();
      throw new TypeError('The page is closed');
    });
    await steps(start([first, first, ...others], { storage, signal: stopped.signal }));
    vi.unstubAllGlobals();
    expect(await run([first, ...others], { storage })).toMatchObject({ done: 3, rejected: 0 });
    for (const id of ids) expect(await current(id)).toMatchObject({ value: 10 * id });
  });

  it('ends when the user stops it, and sends nothing more', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const sent = stubBatches((send) => send());
    const stopped = new AbortController();
    const seen: number[] = [];
    for await (const { left } of start(rowsOf(name, 16), { storage, signal: stopped.signal })) {
      seen.push(left);
      if (seen.length === 2) stopped.abort();
    }
    expect(seen.at(-1)).toBeGreaterThan(0);
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(await run(rowsOf(name, 16), { storage })).toMatchObject({ done: 16, left: 0 });
    await expectOnce(name, rowsOf(name, 16));
  });

  it('refuses to go on after a day, also after a sleep, and says which rows are open', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const rows = rowsOf(name, 11);
    await closeAfter(1, rows, { storage });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 });
    const sent = stubBatches((send) => send());
    const expired = await run(rows, { storage }).catch((error) => error);
    expect(expired).toBeInstanceOf(ImportExpired);
    expect(expired.rows).toHaveLength(6);
    expect(sent).toEqual([]);
    await expect(run(rows, { storage })).rejects.toThrow('begun a day ago');
    forgetImports(storage);
    expect(storage.saved.size).toBe(0);
    expect(() => forgetImports({ getItem: refuse, setItem: refuse, removeItem: refuse })).not.toThrow();

    const asleep = rowsOf(unused(), 6);
    stubBatches(async () => {
      vi.setSystemTime(Date.now() + 24 * 3_600_000);
      throw new TypeError('Failed to fetch');
    });
    await expect(run(asleep, { storage })).rejects.toMatchObject({ name: 'ImportExpired', rows: { length: 6 } });
  });

  it('never shows one user’s import to another of the account, nor goes on with it', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const rows = [{ name: ' ' }, ...rowsOf(name, 7)];
    await closeAfter(1, rows, { storage });
    const countOf = (user: string) => lastImports(client, { ...editor, user }, { storage }).length;
    expect(['editor', 'editor-without-cost', 'edit'].map(countOf)).toEqual([1, 0, 0]);
    const other = clientOf(api, 'editorWithoutCost');
    const [first] = await steps(importRows(other, rows, { storage }));
    expect(first).toMatchObject({ done: 0, left: 7 });
    const [begun] = await steps(start(rows, { storage }));
    expect(begun).toMatchObject({ done: 5, left: 2 });
  });

  it('resumes with what a new preview shows of a row that would have changed nothing', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const id = await created({ value: 1 });
    const rows = [{ id, value: 1 }, ...rowsOf(name, 6)];
    await closeAfter(0, rows, { storage });
    await api.send(update(id, { value: 5 }));
    const preview = await previewed(rows);
    expect(await run(rows, { storage, preview })).toMatchObject({ done: 7, rejected: 0 });
    expect(await current(id)).toMatchObject({ value: 1 });
  });

  it('writes over nothing that others have written between a lost answer and its repetition', async () => {
    const sku = unused();
    const id = await created({ sku, value: 1 });
    stubBatches(async (send, number) => {
      const response = await send();
      if (number > 1) return response;
      // The item remembers the keys of four.
      for (const value of [3, 4, 5, 6, 7]) await api.send(update(id, { value }, { 'idempotency-key': randomUUID() }));
      throw new TypeError('The answer is lost');
    });
    const { rejects } = await run([{ sku, value: 2 }], { match: 'sku' });
    expect(rejects).toMatchObject([{ status: 412, error: { code: 'MAY_BE_WRITTEN' } }]);
    expect(await current(id)).toMatchObject({ value: 7 });
  });

  it('refuses a row for the revision that it names, if its item has changed since the preview', async () => {
    const id = await created({ value: 1 });
    const rows = [{ id, revision: 1, value: 2 }];
    const preview = await previewed(rows);
    await api.send(update(id, { value: 3 }));
    const { rejects } = await run(rows, { preview });
    expect(rejects).toMatchObject([{ status: 412, error: { code: 'PRECONDITION_FAILED', by: 'editor' } }]);
  });

  it('reactivates items also if the answers are lost and another visit resumes', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const rows = rowsOf(name, 2);
    await run(rows);
    for (const { id } of await itemsOf(name)) await api.send(update(id, { active: false }));
    await closeAfter(0, rows, { storage });
    expect(await run(rows, { storage })).toMatchObject({ done: 2, replayed: 2, rejects: [] });
    await expectOnce(name, rows);
  });

  it('resumes no import into another service, and one that names none only where no other one was used', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const rows = rowsOf(name, 11);
    await closeAfter(1, rows, { storage });
    const other = { ...client, service: 'https://other.example.com' };
    const openOf = async (of: typeof client) => {
      const last = (await Array.fromAsync(previewRows(of, rows, { storage }))).at(-1);
      return [last?.isOpen, last?.counts.done];
    };
    expect(await openOf(other)).toEqual([false, 0]);
    await importRows(other, rows, { storage }).next();
    expect([await openOf(client), await openOf(other)]).toEqual([
      [true, 5],
      [true, 0],
    ]);
    expect([client, other].map((of) => lastImports(of, editor, { storage }).length)).toEqual([1, 0]);
    const stored = Object.entries<{ service?: string | undefined }>(
      JSON.parse(storage.getItem('catalog.imports') ?? ''),
    );
    const unnamed = stored.map(([name, entry]) => [
      name,
      { ...entry, service: entry.service?.match(/.*other.*/)?.[0] },
    ]);
    storage.setItem('catalog.imports', JSON.stringify(Object.fromEntries(unnamed)));
    expect(await openOf(client)).toEqual([false, 0]);
    storage.setItem('catalog.imports', JSON.stringify(Object.fromEntries(unnamed.slice(0, 1))));
    expect(await openOf(client)).toEqual([true, 5]);
  });

  it('writes also while changes cannot be read, without which there is no undo', async () => {
    const rows = rowsOf(unused(), 3);
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (request: Request) => {
      if (request.url.endsWith('/changes')) return refusal(500);
      return fetch(request);
    });
    expect(await run(rows, { storage: memoryStorage() })).toMatchObject({ done: 3, left: 0 });
  });

  it('sends nothing that another tab has written since it began', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const rows = rowsOf(name, 16);
    const tab = start(rows, { storage });
    await tab.next();
    await closeAfter(2, rows, { storage });
    const sent = stubBatches((send) => send());
    expect((await steps(tab)).at(-1)).toMatchObject({ done: 16, left: 0 });
    expect(sent.flatMap((batch) => batch.rows)).toHaveLength(6);
    await expectOnce(name, rows);
  });

  it('sends nothing more once a storage that it requires takes nothing more', async () => {
    const [sku, storage] = [unused(), memoryStorage()];
    const ids: number[] = [];
    for (let index = 0; index < 3; index += 1) ids.push(await created({ sku: `${sku} ${index}`, value: 1 }));
    const setItem = vi.fn(storage.setItem);
    const sent = stubBatches((send) => send());
    const options = { storage: { ...storage, setItem }, requireStorage: true };
    const rows = ids.map((id) => ({ id, value: 2 }));
    const tab = start(rows, options);
    await tab.next();
    setItem.mockImplementation(refuse);
    await expect(steps(tab)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(sent).toEqual([]);
  });

  it('stores nothing any more once it is aborted, as at a sign-out', async () => {
    for (const due of [10, 0]) {
      const [storage, page] = [memoryStorage(), new AbortController()];
      for await (const { left } of start(rowsOf(unused(), 15), { storage, signal: page.signal })) {
        if (left > due || page.signal.aborted) continue;
        await sleep(300); // the answer to the other batch is there
        page.abort();
        forgetImports(storage);
      }
      expect([...storage.saved.keys()]).toEqual([]);
    }
  });

  it('ends with the rows that another tab has written since the last answer', async () => {
    const storage = memoryStorage();
    const rows = rowsOf(unused(), 11);
    const tab = start(rows, { storage });
    await tab.next();
    const other = start(rows, { storage });
    for await (const { left } of other) if (left === 0) break;
    expect((await steps(tab)).at(-1)).toMatchObject({ done: 11, left: 0 });
  });

  it('leaves all that its tabs have written to an undo, whichever of them ends last', async () => {
    const storage = memoryStorage();
    const rows = rowsOf(unused(), 16);
    const tab = start(rows, { storage });
    await tab.next();
    await closeAfter(2, rows, { storage });
    await tab.next();
    await run(rows, { storage });
    await steps(tab);
    expect(lastImports(client, editor, { storage })[0]?.items).toHaveLength(16);
    expect([...storage.saved.keys()]).toEqual(['catalog.imports']);
  });

  it('updates what it matches, and loses nothing that a colleague writes to rows that were done', async () => {
    const storage = memoryStorage();
    const name = unused();
    const existing = await created({ sku: `${name}-0`, value: 1 });
    const rows = Array.from({ length: 6 }, (_, index) => ({ name, sku: `${name}-${index}`, value: 5 }));
    await closeAfter(0, rows, { storage, match: 'sku' });
    const { value: { id: added = 0 } = {} } = await listItems(client, { sku: `${name}-1` }).next();
    for (const id of [existing, added]) await api.send(update(id, { value: 9 }));
    expect(await run(rows, { storage, match: 'sku' })).toMatchObject({ done: 6, rejected: 0 });
    expect([(await current(existing))?.value, (await current(added))?.value]).toEqual([9, 9]);
    expect(await namesOf(name)).toHaveLength(6);
    // The answer to an update that was written before has the colleague's revision.
    expect(Object.keys(lastImports(client, editor, { storage })[0]?.writes ?? {})).toEqual(['1']);
  });

  it('refuses all but the first row for an item, or a code that is matched, also across batches', async () => {
    const id = await created({});
    const name = unused();
    const rows: Row[] = [{ id, value: 1 }, { name, sku: `${name}-é` }, ...rowsOf(name, 6), { id, value: 2 }];
    rows.push({ sku: ` ${name}-e\u0301 ` });
    const problem = (row: number, field: string, first: number) => ({
      row,
      status: 422,
      error: {
        code: 'VALIDATION_FAILED',
        message: `Invalid field: ${field}.`,
        fields: [{ field, reason: `is also in row ${first}`, rule: 'repeated', row: first }],
      },
    });
    const { rejects } = await run(rows, { match: 'sku' });
    expect(rejects).toEqual([problem(9, 'id', 1), problem(10, 'sku', 2)]);
    const named = await run(rows, { match: 'sku', lines: rows.map((_, index) => index + 2) });
    expect(named.rejects[0]?.error.fields?.[0]?.reason).toBe('is also in line 2');
    expect((await current(id))?.value).toBe(1);
  });

  const refuse = () => {
    throw new DOMException('No', 'QuotaExceededError');
  };
  it('goes on to the end if its storage is full, and says that its place is not kept', async () => {
    const name = unused();
    const rows = [...rowsOf(name, 6), { name: ' ' }];
    const seen = await steps(start(rows, { storage: { ...memoryStorage(), setItem: refuse } }));
    expect(seen.map((one) => one.isSaved)).toEqual(seen.map(() => false));
    expect(seen.at(-1)).toMatchObject({ done: 6, rejected: 1, left: 0 });
    await expectOnce(name, rows, [6]);
  });

  it('keeps places, and sends rejected rows again, but none that are done', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const holder = await created({ sku: name });
    const rows = rowsOf(name, 20).map((row, index) => (index % 2 === 1 ? { name: ' ' } : row));
    rows[2] = { name: `${name}, 2`, sku: name };
    await start(rows, { storage }).next();
    await closeAfter(2, rows, { storage });
    expect(storage.getItem('catalog.imports')?.length).toBeLessThan(2_500);
    await api.send(update(holder, { sku: null }));
    const sent = stubBatches((send) => send());
    const { rejects, ...end } = await run(rows, { storage });
    expect(end).toMatchObject({ done: 10, rejected: 10, left: 0 });
    expect(rejects.every(({ row, error }) => row % 2 === 0 && error.fields?.[0]?.field === 'name')).toBe(true);
    const again = sent.flatMap((batch) => batch.rows);
    expect(again).toEqual([rows[2]]);
    await expectOnce(
      name,
      rows,
      rejects.map(({ row }) => row - 1),
    );
  });

  it('previews again what was rejected on writing, not what was right, and an undo knows all visits', async () => {
    const [name, storage] = [unused(), memoryStorage()];
    const [refused, right] = [await created({}), await created({ value: 1 })];
    const rows = [{ id: refused, sku: name }, { id: right, value: 1 }, ...rowsOf(name, 11)];
    const preview = await previewed(rows);
    const holder = await created({ sku: name });
    await closeAfter(1, rows, { storage, preview });
    const [first] = lastImports(client, editor, { storage });
    await api.send(update(holder, { sku: null }));
    for (const id of [refused, right]) await api.send(update(id, { value: 9 }));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect(await run(rows, { storage })).toMatchObject({ done: 13, rejected: 0 });
    expect([await current(refused), await current(right)]).toMatchObject([{ sku: name, value: 9 }, { value: 9 }]);
    const [whole] = lastImports(client, editor, { storage });
    expect([whole?.from, whole?.items?.length]).toEqual([first?.from, 12]);
    forgetImports(storage);
    expect(storage.saved.size).toBe(0);
  });

  it.each([412, 500])('writes over nothing what it has refused as perhaps written: %i', async (status) => {
    const [name, storage] = [unused(), memoryStorage()];
    const id = await created({ name, value: 1 });
    const rows = [{ id, value: 2 }, ...rowsOf(name, 12)];
    const closeAtReject = async () => {
      const closed = new AbortController();
      for await (const { rejectedRows } of start(rows, { storage, signal: closed.signal }))
        if (rejectedRows.length > 0) closed.abort();
      expect(closed.signal.aborted).toBe(true);
      vi.unstubAllGlobals();
    };
    if (status === 412) await closeAfter(0, rows, { storage });
    else {
      hurry();
      const failed = { status, error: { code: 'INTERNAL_ERROR', message: 'It failed' } };
      const sent: Sent[] = stubBatches(async (send, number) => {
        if (sent[number - 1]?.rows[0]?.['id'] !== id) return refusal(503);
        const { data } = (await (await sendAll(send)).json()) as { data: object[] };
        return Response.json({ data: [failed, ...data.slice(1)] });
      });
      await closeAtReject();
    }
    expect(await current(id)).toMatchObject({ value: 2 });
    // The item remembers the keys of four.
    for (const value of [3, 4, 5, 6, 7]) await api.send(update(id, { value }, { 'idempotency-key': randomUUID() }));
    if (status === 412) await closeAtReject();
    const { rejects } = await run(rows, { storage });
    const message = expect.stringMatching(/^may have been written before, and item \d+ has changed since: compare it/);
    expect(rejects).toMatchObject([{ row: 1, status: 412, error: { code: 'MAY_BE_WRITTEN', message } }]);
    expect(await current(id)).toMatchObject({ value: 7 });
  });

  it('forgets its places only once an undo knows it, so that whoever is killed meanwhile loses nothing', async () => {
    const [storage, removeItem] = [memoryStorage(), vi.fn()];
    await run(rowsOf(unused(), 1), { storage: { ...storage, removeItem } });
    expect([removeItem.mock.calls, lastImports(client, editor, { storage }).length]).toEqual([
      [['catalog.imports.0']],
      1,
    ]);
  });

  it.each([
    ['the time is set back', () => vi.setSystemTime(Date.now() - 600_000)],
    ['the machine sleeps', () => vi.spyOn(performance, 'now').mockReturnValue(-600_000)],
  ])('ends for an undo no earlier than its last row is written, although %s', async (_, act) => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.restoreAllMocks());
    const [name, storage] = [unused(), memoryStorage()];
    let progressed = 0;
    for await (const _ of start(rowsOf(name, 12), { storage })) if (++progressed === 2) act();
    const written = (await itemsOf(name)).map(({ updated_at }) => Date.parse(updated_at));
    const [last] = lastImports(client, editor, { storage });
    expect(+(last?.to ?? 0)).toBeGreaterThanOrEqual(Math.max(...written));
  });

  it('writes nothing again if it is killed before the last step of its end', async () => {
    const id = await created({ value: 1 });
    const [storage, steps]: [ReturnType<typeof memoryStorage>, Map<string, string>[]] = [memoryStorage(), []];
    const act = (change: () => void) => {
      change();
      if (isWritten) steps.push(new Map(storage.saved));
    };
    let isWritten = false;
    const watched: CallerStorage = {
      ...storage,
      setItem: (...args) => act(() => storage.setItem(...args)),
      removeItem: (...args) => act(() => storage.removeItem(...args)),
    };
    for await (const { left } of start([{ id, value: 2 }], { storage: watched })) isWritten = left === 0;
    await api.send(update(id, { value: 9 }));
    expect(steps.length).toBeGreaterThan(2);
    for (const saved of steps.slice(0, -1)) {
      const killed = memoryStorage();
      for (const entry of saved) killed.setItem(...entry);
      expect(await run([{ id, value: 2 }], { storage: killed })).toMatchObject({ done: 1, rejected: 0 });
    }
    expect(await current(id)).toMatchObject({ value: 9 });
  });

  it('sweeps what other imports have left a week after they have expired', async () => {
    const storage = memoryStorage();
    const notes = () => Object.keys(JSON.parse(storage.getItem('catalog.imports') ?? '{}')).length;
    vi.useFakeTimers({ toFake: ['Date'] });
    await run(rowsOf(unused(), 1), { storage });
    for (const [visit, days] of [0, 7, 2].entries()) {
      vi.setSystemTime(Date.now() + days * 24 * 3_600_000);
      await start(rowsOf(unused(), 1), { storage }).next();
      expect([notes(), lastImports(client, editor, { storage }).length]).toEqual(visit === 2 ? [2, 0] : [visit + 2, 1]);
    }
  });
});
