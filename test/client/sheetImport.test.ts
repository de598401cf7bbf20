import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Sheet, SheetRow } from '../../client/import/1-read.ts';
import type { ImportState, StateIn } from '../../client/import/importState.ts';
import { SheetImport } from '../../client/import/sheetImport.ts';
import { listItems, loadItem } from '../../client/items/readItems.ts';
import { type Catalog, loadCatalog, unwrap } from '../../client/public/index.ts';
import { inspectSheet } from '../../client/sheet/inspectSheet.ts';
import type { SheetAnswers } from '../../client/sheet/notices.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { sendFewRows } from '../support/setup/sendFewRows.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

const api = await startTestApi({ recordsChanges: true });
sendFewRows();
const client = clientOf(api);
let catalog: Catalog;
beforeAll(async () => {
  catalog = await loadCatalog(client);
});

let used = 0;
/** A beginning of names and codes that no other test uses. */
const unused = () => `Sheet ${++used}-`;

/** As the worker of a page reads a sheet. */
async function read(file: Blob, answers: SheetAnswers, categories: Catalog['categories']): Promise<Sheet> {
  const { rows, ...form } = inspectSheet(new Uint8Array(await file.arrayBuffer()), answers, categories);
  return { ...form, rows: [...rows()] as SheetRow[] };
}

const open = (storage = memoryStorage(), others: Partial<ConstructorParameters<typeof SheetImport>[0]> = {}) =>
  new SheetImport({ client, catalog, storage, read, interval: 20, ...others });
const file = (text: string, name = 'items.csv') => new File([text], name);
/** An import that has loaded a file with this text. */
async function loaded(text: string, ...options: Parameters<typeof open>): Promise<SheetImport> {
  const sheets = open(...options);
  await sheets.load(file(text));
  return sheets;
}

/** A client that does something before it sends a batch that writes. */
const clientWith = (beforeWrite: (sent: string, request: Request) => unknown) =>
  clientOf(api, 'editor', async (request) => {
    const sent = request.url.endsWith('/batch') ? await request.clone().text() : '"dry_run":true';
    if (!sent.includes('"dry_run":true')) await beforeWrite(sent, request);
    return fetch(request);
  });

/** The state of an import, which must be at a step. */
function at<Step extends ImportState['step']>(sheets: SheetImport, step: Step): StateIn<Step> {
  expect(sheets.getState()).toMatchObject({ step });
  return sheets.getState() as StateIn<Step>;
}
const until = (sheets: SheetImport, isDue: (state: ImportState) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const end = sheets.subscribe(() => isDue(sheets.getState()) && resolve(end()));
  });

/** Pauses as soon as rows are written. */
async function startAndPause(sheets: SheetImport): Promise<void> {
  const sending = sheets.start();
  await until(sheets, (state) => state.step === 'sending' && state.progress.done > 0);
  sheets.pause();
  await sending;
}

const named = (name: string) => Array.fromAsync(listItems(client, { search: name, limit: 100 }));
const rowsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index},${name}${index},${index}`).join('\n');

it('warns of quantities that a unit rounds, of new items and of changed ones', async () => {
  const name = unused();
  const { id } = unwrap(await client.POST('/api/v1/api/v1/items', { body: { name, sku: name, qty: 1 } })).data;
  const sheets = open(memoryStorage(), { match: 'sku' });
  await sheets.load(
    file(`name,sku,value,qty\n${name},${name},1,2.5\n${name}a,${name}a,1,0.4\n${name}b,${name}b,1,3\n`),
  );
  const { rows } = at(sheets, 'previewed');
  expect(rows.map(({ line, id: item, warning }) => [line, item, warning?.text])).toEqual([
    [2, id, 'has the quantity 2.5, which its unit rounds to 3'],
    [3, undefined, 'has the quantity 0.4, which un rounds to 0'],
    [4, undefined, undefined],
  ]);
});

it('takes columns with commas in their names, or names that every object has, as any others, also of fixed rows', async () => {
  const [name, columns] = [unused(), ['constructor', 'toString', 'valueOf', 'Size, cm']];
  const sheets = open();
  const cells = `"${columns.join('","')}"`;
  await sheets.load(file(`name,value,"metadata.a,b",${cells}\n${name},x,5,${cells}\n`));
  const custom = columns.map((column) => [column, `metadata.${column}`] as const);
  expect(at(sheets, 'asking').questions).toMatchObject([{ option: 'columns', rule: 'columns' }]);
  await sheets.setColumns(
    new Map([...['name', 'value', 'metadata.a,b'].map((each) => [each, each] as const), ...custom]),
  );
  sheets.editCell(2, 'value', '5');
  await sheets.retryRejected();
  const metadata = { 'a,b': 5, ...Object.fromEntries(columns.map((column) => [column, column])) };
  expect(at(sheets, 'previewed').rows).toMatchObject([{ outcome: 'create', body: { name, value: 5, metadata } }]);
});

it('asks what columns are, previews, and writes what it has previewed, once', async () => {
  const [name, storage] = [unused(), memoryStorage()];
  const { id } = unwrap(await client.POST('/api/v1/api/v1/items', { body: { name, sku: name, value: 1 } })).data;
  const sheets = await loaded(`Product name;SKU;Net\n${name};${name};1,50\n${name}new;${name}n;2\n`, storage);
  expect(at(sheets, 'asking')).toMatchObject({ file: 'items.csv', questions: [{ option: 'columns' }] });
  await sheets.setColumns(new Map([...Object.entries({ 'Product name': 'name', SKU: 'sku', Net: 'value' })]));
  await sheets.setOptions({ match: 'sku' });
  expect(at(sheets, 'previewed')).toMatchObject({
    rows: [
      { line: 2, outcome: 'update', id, changes: [{ field: 'value', from: 1, to: 1.5 }] },
      { line: 3, outcome: 'create' },
    ],
    isOpen: false,
  });
  expect(await loadItem(client, id)).toMatchObject({ revision: 1 });
  await sheets.start();
  expect(at(sheets, 'done')).toMatchObject({
    progress: { created: 1, updated: 1, left: 0 },
    undoTarget: { items: [id, expect.any(Number)], file: 'items.csv' },
  });
  const later = await loaded(`Product name;SKU;Net\n${name};${name};1,50\n`, storage, { match: 'sku' });
  await later.start();
  // It has written nothing that could be undone, unlike the one before.
  expect(at(later, 'done')).toMatchObject({ progress: { unchanged: 1 }, undoTarget: null });
  const repeated = await loaded(`Product name;SKU;Net\n${name};${name};1,50\n${name}new;${name}n;2\n`, storage, {
    match: 'sku',
  });
  await repeated.start();
  expect(at(repeated, 'done')).toMatchObject({ progress: { left: 0 }, undoTarget: null });
});

it('knows columns from an earlier file, which says nothing of others', async () => {
  const storage = memoryStorage();
  const first = await loaded('Product name;Net;Barcode\nOak;2;4711\n', storage);
  await first.setColumns(new Map([...Object.entries({ 'Product name': 'name', Net: 'value' })]));
  expect(at(first, 'previewed').sheet.warnings).toEqual([]);
  const later = open(storage);
  const targets = (columns: readonly { target?: string | undefined }[]) => columns.map(({ target }) => target);
  await later.load(file('Product name;Net;tag;Barcode\nOak;1;x;4712\n'));
  const { mapping, warnings } = at(later, 'previewed').sheet;
  expect(targets(mapping)).toEqual(['name', 'value', 'tag', 'ignore']);
  expect(warnings.map(({ text }) => text)).toEqual(['Columns left out, as in an earlier file: Barcode.']);
  await later.load(file('Product name;Net;Farbe\nOak;1;rot\n'));
  expect(targets(at(later, 'asking').columns)).toEqual(['name', 'value', undefined]);
});

it('keeps the type of custom values that items have, unless the sheet is an export', async () => {
  const name = unused();
  const body = { name, sku: name, value: 1, metadata: { size: '38', width: 7, 'a/b': '1', color: 'red' } };
  const { id } = unwrap(await client.POST('/api/v1/api/v1/items', { body })).data;
  const sheets = open(memoryStorage(), { match: 'sku' });
  const columns = 'sku,value,metadata.size,metadata.width,metadata.a/b';
  await sheets.load(file(`${columns}\n${name},1,38,7,1\n`));
  expect(at(sheets, 'previewed').counts).toMatchObject({ unchanged: 1 });
  await sheets.load(file(`${columns},metadata.color\n${name},1,38,8,1,blue\n`));
  const [row] = at(sheets, 'previewed').rows;
  expect(row?.changes?.map(({ path, to }) => [path, to])).toEqual([
    ['/color', 'blue'],
    ['/width', 8],
  ]);
  await sheets.start();
  expect(await loadItem(client, id)).toMatchObject({ metadata: { ...body.metadata, width: 8, color: 'blue' } });
  const own = 'id,category_name,create_date,revision,updated_at,updated_by,metadata.size';
  await sheets.setOptions({ match: 'id' });
  await sheets.load(file(`${own}\n${id},,,2,,,38\n`));
  expect(at(sheets, 'previewed').rows[0]?.changes).toMatchObject([{ from: '38', to: 38 }]);
});

it('warns of identifiers that lose zeros in front, and of nothing else that changes them', async () => {
  const name = unused();
  const ids = [];
  for (const pn of [`00${used}1`, `${used}2`])
    ids.push(unwrap(await client.POST('/api/v1/api/v1/items', { body: { name, pn, value: 1 } })).data.id);
  const sheets = await loaded(`id,revision,pn\n${ids[0]},1,${used}1\n${ids[1]},1,${used}3\n`, memoryStorage(), {
    match: 'id',
  });
  const [lost, changed] = at(sheets, 'previewed').rows.map(({ warning }) => warning);
  expect(lost).toMatchObject({ rule: 'lost_zeros', field: 'pn', from: `00${used}1`, to: `${used}1` });
  expect(changed).toBeUndefined();
});

it('says which rows have identifiers of inactive items, and makes these active if that is wanted', async () => {
  const [name, other] = [unused(), unused()];
  const create = (sku: string, active: boolean) =>
    client.POST('/api/v1/api/v1/items', { body: { name: sku, sku, value: 1, active } });
  const { id } = unwrap(await create(name, false)).data;
  await create(other, true);
  const sheets = await loaded(`name,sku,value\na,${name},2\nb,${other},1\n`);
  const [inactive, active] = at(sheets, 'previewed').rejected;
  expect(inactive?.problems).toMatchObject([{ field: 'sku', rule: 'taken_by_inactive', item: id }]);
  expect(inactive?.problems[0]?.reason).toMatch(/, which is inactive: update it/);
  expect(active?.problems).toMatchObject([{ rule: 'taken' }]);
  await sheets.reactivateItems();
  const { rows, rejected } = at(sheets, 'previewed');
  expect([rows[0]?.outcome, rejected.map(({ line }) => line)]).toEqual(['update', [3]]);
  await sheets.start();
  expect(at(sheets, 'done').progress).toMatchObject({ created: 0, updated: 1, rejected: 1 });
  expect(await loadItem(client, id)).toMatchObject({ name: 'a', value: 2, active: true, revision: 2 });
});

it('shows what is wrong in the order of lines, and fixes it before the import, which loses no good row', async () => {
  const name = unused();
  const sheets = open();
  await sheets.load(
    file(`name,sku,value,unit\n,${name}x,x,pcs\n${rowsOf(name, 6).replaceAll(/$/gm, ',')}\n${name}z,,-1,\n`),
  );
  const { rejected, counts, rows } = at(sheets, 'previewed');
  expect(counts).toMatchObject({ create: 6, rejected: 2 });
  expect(rows.slice(0, 3).map(({ place }) => place)).toEqual([undefined, 1, 2]);
  expect(rejected.map(({ line, problems }) => [line, problems.map(({ field }) => field)])).toEqual([
    [2, ['value', 'name', 'unit']],
    [9, ['value']],
  ]);
  expect(rejected[1]?.problems[0]).toMatchObject({ rule: 'min', limit: 0 });
  sheets.editCell(9, 'value', '5');
  await sheets.retryRejected();
  expect(at(sheets, 'previewed').counts).toMatchObject({ create: 7, rejected: 1 });
  await sheets.start();
  expect(at(sheets, 'done')).toMatchObject({ progress: { created: 7 }, rejected: [{ line: 2 }] });
  for (const [column, text] of Object.entries({ name: `${name}y`, value: '7', unit: '' }))
    sheets.editCell([2, 3, 999], column, text);
  await sheets.retryRejected();
  await sheets.start();
  expect(at(sheets, 'done')).toMatchObject({ progress: { created: 1 }, rejected: [] });
  expect(await named(name)).toHaveLength(8);
});

it('keeps a choice for the next file, and previews a row that is fixed as it is then', async () => {
  const [name, sheets] = [unused(), open()];
  await client.POST('/api/v1/api/v1/items', { body: { name, sku: name } });
  await sheets.setOptions({ withoutPrice: 'skip' });
  await sheets.load(file(`name,sku,value\n${name}y,,1\n${name}z,${name}z,\n`));
  expect(at(sheets, 'previewed').rejected).toMatchObject([{ line: 3, problems: [{ rule: 'no_price' }] }]);
  for (const [column, text] of Object.entries({ sku: name, value: '2' })) sheets.editCell(3, column, text);
  await sheets.retryRejected();
  expect(at(sheets, 'previewed').rejected).toMatchObject([{ line: 3, problems: [{ field: 'sku', rule: 'taken' }] }]);
});

it('writes on whatever is chosen, pauses, and resumes, in this visit and the next, with what was known', async () => {
  const [name, storage] = [unused(), memoryStorage()];
  const sheets = open(storage);
  const text = `name,sku,value\n${rowsOf(name, 23)}\n`;
  await sheets.load(file(text));
  const sending = sheets.start();
  await until(sheets, (state) => state.step === 'sending' && state.progress.done > 0);
  await sheets.setOptions({ match: 'sku' });
  await sheets.load(file('name\nOther\n'));
  sheets.pause();
  await sending;
  const { progress, undoTarget } = at(sheets, 'stopped');
  expect(progress.left).toBeGreaterThan(0);
  expect(undoTarget?.items).toHaveLength(progress.done);
  const again = sheets.resume();
  await until(sheets, (state) => state.step === 'sending' && state.progress.done > progress.done);
  new Proxy(sheets, {}).dispose(); // as Vue's `ref` has it
  await again;
  const later = await loaded(`name\n${unused()}\n`, storage);
  await sleep(1_000 - (Date.now() % 1_000)); // imports are told apart by the second in which they began
  await later.start();
  let dryRuns = 0;
  const next = open(storage, {
    client: clientOf(api, 'editor', async (request) => {
      if (request.url.endsWith('/batch') && (await request.clone().text()).includes('"dry_run":true')) dryRuns += 1;
      return fetch(request);
    }),
  });
  await next.load(file(text));
  expect([at(next, 'previewed').isOpen, at(next, 'previewed').counts.done > progress.done, dryRuns]).toEqual([
    true,
    true,
    0,
  ]);
  await next.start();
  expect(at(next, 'done').progress).toMatchObject({ left: 0, rejected: 0, done: 23 });
  expect([at(later, 'done').undoTarget?.items?.length, at(next, 'done').undoTarget?.items?.length]).toEqual([1, 23]);
  expect(await named(name)).toHaveLength(23);
});

it('pauses once a given signal is aborted, and goes on with another one', async () => {
  const [name, left] = [unused(), new AbortController()];
  const sheets = await loaded(`name,sku,value\n${rowsOf(name, 23)}\n`, memoryStorage(), { signal: left.signal });
  const sending = sheets.start();
  await until(sheets, (state) => state.step === 'sending' && state.progress.done > 0);
  left.abort();
  await sending;
  at(sheets, 'stopped');
  await sheets.setOptions({ signal: undefined });
  await sheets.resume();
  expect(at(sheets, 'done').progress).toMatchObject({ left: 0, done: 23 });
});

it('asks which items an export of this account is about, and takes ids of another one for nothing', async () => {
  const name = unused();
  const { data: item } = unwrap(await client.POST('/api/v1/api/v1/items', { body: { name } }));
  const sheets = open();
  const text = (date: string) =>
    `id,revision,create_date,name\n999999,1,2020-01-01T00:00:00+00:00,Deleted\n${item.id},1,${date},${name}edited\n`;
  for (const _ of ['this file', 'the next one']) {
    await sheets.load(file(text(item.create_date)));
    expect(at(sheets, 'asking').questions).toMatchObject([
      { option: 'match', rule: 'own_export', values: { item: item.id } },
    ]);
    await sheets.answer('match', 'id');
  }
  expect(at(sheets, 'previewed').rows).toMatchObject([{ outcome: 'rejected' }, { outcome: 'update', id: item.id }]);
  await sheets.setOptions({ match: 'none' });
  expect(at(sheets, 'previewed').counts).toMatchObject({ create: 2 });
  await sheets.setOptions({ match: undefined });
  await sheets.load(file(text(item.create_date)));
  at(sheets, 'asking');
  const others = await loaded(text('2020-01-01T00:00:00+00:00'));
  expect(at(others, 'previewed').counts).toMatchObject({ create: 2, update: 0 });
});

it('says why it failed, keeps what it has read, and does not end before its rejects are kept', async () => {
  const name = unused();
  for (const thrown of [new Error('No worker'), null]) {
    const failing = open(undefined, { read: () => Promise.reject(thrown), answers: undefined, finish: undefined });
    await failing.load(file('name\nA\n'));
    const message = thrown?.message ?? 'Something unexpected has failed.';
    expect(at(failing, 'failed').failure).toMatchObject({ code: 'unreadable', message });
  }
  const reader = await loaded(`name\n${name}\n`, memoryStorage(), { client: clientOf(api, 'reader') });
  expect(at(reader, 'stopped').failure).toMatchObject({ code: 'forbidden' });
  const fields = [{ field: 'match', rule: 'type', reason: 'must be sku or pn' }];
  const refusal = { error: { code: 'VALIDATION_FAILED', message: 'Invalid field: match.', fields } };
  const answerBatch = async (request: Request) =>
    request.method === 'POST' ? Response.json(refusal, { status: 422 }) : fetch(request);
  const older = await loaded(`name\n${name}\n`, memoryStorage(), { client: clientOf(api, 'editor', answerBatch) });
  const message = 'The service is older than this page.';
  expect(at(older, 'stopped').failure).toMatchObject({ code: 'older_service', message });
  const storage = memoryStorage();
  let isFull = true;
  const finish = () => {
    if (isFull) throw new Error('no space left');
  };
  const full = await loaded(`name,value\n${name},1\n${name},-1\n`, storage, { finish });
  await full.start();
  expect(at(full, 'stopped')).toMatchObject({ failure: { message: 'no space left' }, progress: { created: 1 } });
  isFull = false;
  const again = await loaded(`name,value\n${name},1\n${name},-1\n`, storage, { finish });
  expect(at(again, 'previewed')).toMatchObject({ isOpen: true, counts: { done: 1 }, rejected: [{ line: 3 }] });
  await again.start();
  expect(at(again, 'done').progress).toMatchObject({ created: 0, done: 1 });
});

it('counts a row once that was rejected, written when the import resumed, and previewed after a pause', async () => {
  const name = unused();
  const held = Promise.withResolvers<void>();
  // What a busy service has left open of the first rows is sent again.
  const client = clientWith((sent) => /-[12]\d"/.test(sent) && held.promise);
  const sheets = open(memoryStorage(), { client });
  const loading = sheets.load(file(`name,sku,value\n${rowsOf(name, 23)}\n${name}x,,1.2.3\n`));
  await until(sheets, ({ step }) => step === 'previewing');
  sheets.pause();
  await loading;
  at(sheets, 'stopped');
  await sheets.resume();
  expect(at(sheets, 'previewed').counts).toMatchObject({ create: 23, rejected: 1 });
  const { id } = unwrap(await client.POST('/api/v1/api/v1/items', { body: { name, sku: `${name}3` } })).data;
  const sending = sheets.start();
  await until(sheets, (state) => state.step === 'sending' && state.progress.rejected === 2);
  sheets.pause();
  held.resolve();
  await sending;
  expect(at(sheets, 'stopped').rejected.map(({ line }) => line)).toEqual([5, 25]);
  await client.PUT('/api/v1/api/v1/items/{id}', { params: { path: { id } }, body: { name: 'Other', sku: null } });
  await sheets.resume();
  expect(at(sheets, 'done')).toMatchObject({
    progress: { done: 23, rejected: 1, left: 0 },
    rejected: [{ line: 25 }],
  });
  expect(await named(name)).toHaveLength(23);
});

it('skips new items without a price also if that is chosen after a pause', async () => {
  const name = unused();
  const held = Promise.withResolvers<void>();
  const sheets = open(memoryStorage(), {
    client: clientWith((sent) => sent.includes(`${name}free`) && held.promise),
  });
  await sheets.load(file(`name,sku,value\n${rowsOf(name, 13)}\n${name}free,${name}free,\n`));
  expect(at(sheets, 'previewed').withoutPrice).toEqual([15]);
  await startAndPause(sheets);
  at(sheets, 'stopped');
  await sheets.setOptions({ withoutPrice: 'skip', client });
  expect(at(sheets, 'previewed').rejected).toMatchObject([{ line: 15, problems: [{ rule: 'no_price' }] }]);
  await sheets.start();
  expect(at(sheets, 'done')).toMatchObject({ rejected: [{ line: 15 }], progress: { done: 13 } });
  expect(await named(`${name}free`)).toEqual([]);
});

it('keeps the type of custom values also of rows whose answers were lost', async () => {
  const [name, storage] = [unused(), memoryStorage()];
  const body = { name, sku: name, value: 1, metadata: { size: '38' } };
  const { id } = unwrap(await client.POST('/api/v1/api/v1/items', { body })).data;
  const text = `sku,value,metadata.size\n${name},2,38\n`;
  for (const isCarriedOut of [false, true]) {
    const lost = Promise.withResolvers<void>();
    const losing = clientWith(async (_, request) => {
      if (isCarriedOut) await fetch(request);
      lost.resolve();
      throw new TypeError('Failed to fetch');
    });
    const sheets = open(storage, { match: 'sku', client: losing });
    await sheets.load(file(text));
    const sending = sheets.start();
    await lost.promise;
    sheets.pause();
    await sending;
  }
  const next = await loaded(text, storage, { match: 'sku' });
  await next.start();
  expect(at(next, 'done')).toMatchObject({ rejected: [], progress: { done: 1 } });
  expect(await loadItem(client, id)).toMatchObject({ value: 2, metadata: { size: '38' }, revision: 2 });
});

it.each(['retryRejected', 'close'] as const)('previews rejects again, gives up what has expired: %s', async (act) => {
  const [name, storage] = [unused(), memoryStorage()];
  const { id } = unwrap(await client.POST('/api/v1/api/v1/items', { body: { name: 'Holder' } })).data;
  const take = (sku: string | null) =>
    client.PUT('/api/v1/api/v1/items/{id}', { params: { path: { id } }, body: { sku } });
  const sheets = await loaded(`name,sku,value\n${name},${name},1\n`, storage);
  await take(name);
  await sheets.start();
  await sheets.retryRejected();
  expect(at(sheets, 'previewed').rejected).toMatchObject([{ line: 2, problems: [{ rule: 'taken', item: id }] }]);
  await take(null);
  await sheets.retryRejected();
  expect(at(sheets, 'previewed').counts).toMatchObject({ create: 1, rejected: 0 });
  const long = file(`name,value\n${rowsOf(name, 23).replaceAll(/,[^,\n]+,/g, ',')}\n`);
  await sheets.load(long);
  await startAndPause(sheets);
  const { done } = at(sheets, 'stopped').progress;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 });
  try {
    await sheets.resume();
    const { failure, rejected } = at(sheets, 'stopped');
    expect([failure?.code, rejected.length]).toEqual(['expired', 23 - done]);
    await sheets[act]();
    if (act === 'close') await sheets.load(long);
    const { isOpen, counts } = at(sheets, 'previewed');
    const known = act === 'close' ? 23 : 23 - done;
    expect([isOpen, counts.create + counts.duplicate, counts.done]).toEqual([false, known, 0]);
  } finally {
    vi.useRealTimers();
  }
});

it('adds categories once, keeps fixed cells if that is refused, and takes a later catalog', async () => {
  const name = unused();
  let added = 0;
  const admin = clientOf(api, 'editor', async (request) => {
    if (!request.url.endsWith('/categories')) return fetch(request);
    added += 1;
    request.headers.set('authorization', `Bearer ${api.tokens.admin}`);
    return fetch(request);
  });
  const sheets = await loaded(`name,category,value\n${name}a,${name},1\n,,2\n`);
  sheets.editCell(3, 'name', `${name}b`);
  await sheets.addCategories();
  expect(at(sheets, 'previewed')).toMatchObject({
    failure: { code: 'forbidden' },
    rejected: [{}, { cells: { value: '2' } }],
  });
  void sheets.setOptions({ client: admin });
  const adding = [sheets.addCategories(), sheets.addCategories()];
  at(sheets, 'adding');
  await Promise.all(adding);
  expect(at(sheets, 'previewed').counts).toMatchObject({ create: 2, rejected: 0 });
  expect(added).toBe(1);
  const categories = [...catalog.categories, { id: 1_000, name: `${name}later`, archived: false }];
  void sheets.setOptions({ catalog: { ...catalog, categories } });
  await sheets.load(file(`name,category,value\n${name}a,${name},1\n${name}c,${name}later,1\n`));
  expect(at(sheets, 'previewed').sheet.unknownCategories).toEqual([]);
});

it('writes nothing if a part of the page cannot be loaded, and loads it with the next file', async () => {
  const [name, sheets] = [unused(), open()];
  vi.doMock('../../client/import/3-write.ts', () => Promise.reject(new TypeError('Failed to fetch')));
  await sheets.load(file(`name\n${name}\n`));
  expect(at(sheets, 'failed').failure).toMatchObject({ code: 'not_loaded', message: expect.stringContaining('load') });
  vi.doUnmock('../../client/import/3-write.ts');
  await sheets.load(file(`name\n${name}\n`));
  await sheets.start();
  expect(at(sheets, 'done').progress).toMatchObject({ created: 1 });
});

it('asks again of the next file what was answered about this one', async () => {
  const [name, sheets] = [unused(), open()];
  await sheets.load(file(`name,value\n${name},"1.299"\n`));
  await sheets.answer('decimal', ',');
  expect(at(sheets, 'previewed').rows).toMatchObject([{ body: { value: 1299 } }]);
  for (const leave of [() => undefined, sheets.close]) {
    leave();
    await sheets.load(file(`name,value\n${name},"1,299"\n`));
    expect(at(sheets, 'asking').questions).toMatchObject([{ option: 'decimal' }]);
    await sheets.answer('decimal', ',');
  }
});

it('takes what is chosen while it asks, also as the answer, until that is taken back', async () => {
  const name = unused();
  const { data: item } = unwrap(await client.POST('/api/v1/api/v1/items', { body: { name, sku: name } }));
  const sheets = await loaded(
    `id,revision,create_date,name,sku\n${item.id},1,${item.create_date},${name}edited,${name}\n`,
  );
  await sheets.setOptions({ create: false });
  expect(at(sheets, 'asking').choices).toMatchObject({ create: false, match: undefined });
  await sheets.setOptions({ match: 'sku' });
  expect(at(sheets, 'previewed').rows).toMatchObject([{ outcome: 'update', id: item.id }]);
  await sheets.setOptions({ match: undefined });
  await sheets.answer('match', 'none');
  expect(at(sheets, 'previewed').choices).toMatchObject({ match: 'none' });
  await sheets.answer('match', '');
  expect(at(sheets, 'asking').questions).toMatchObject([{ option: 'match' }]);
});

it('writes all rows, although a preview that was replaced goes on for a moment', async () => {
  const [name, sheets] = [unused(), open()];
  const held = Promise.withResolvers<void>();
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, 'digest').mockImplementationOnce(async (...args) => {
    await held.promise;
    return digest(...args);
  });
  const loading = sheets.load(file(`name,sku,value\n${rowsOf(name, 3)}\n`));
  await until(sheets, ({ step }) => step === 'previewing');
  await sheets.setOptions({ withoutPrice: 'create' });
  held.resolve();
  await loading;
  await sheets.start();
  expect(at(sheets, 'done').progress).toMatchObject({ created: 3, done: 3 });
  vi.restoreAllMocks();
});

it('applies what was typed after a failure, without another retry', async () => {
  const [name, parts] = [unused(), { isLoaded: true }];
  const sheets = open(memoryStorage(), {
    read: (...args) => (parts.isLoaded ? read(...args) : Promise.reject(new Error('No worker'))),
  });
  await sheets.load(file(`name,value\n${name},-1\n`));
  sheets.editCell(2, 'value', '5');
  parts.isLoaded = false;
  await sheets.retryRejected();
  expect(at(sheets, 'stopped').failure).toMatchObject({ message: 'No worker' });
  parts.isLoaded = true;
  await sheets.resume();
  expect(at(sheets, 'previewed').rows).toMatchObject([{ outcome: 'create', body: { value: 5 } }]);
});

it('stays paused once the rows that were fixed are read', async () => {
  const [name, held] = [unused(), Promise.withResolvers<void>()];
  let reads = 0;
  const readLate = async (...args: Parameters<typeof read>) => {
    if (++reads > 1) await held.promise;
    return read(...args);
  };
  const sheets = await loaded(`name,value\n${name},-1\n`, memoryStorage(), { read: readLate });
  sheets.editCell(2, 'value', '5');
  const retrying = sheets.retryRejected();
  sheets.pause();
  held.resolve();
  await retrying;
  at(sheets, 'stopped');
});

it('stops adding categories when the signal of its options is aborted', async () => {
  const [name, ended] = [unused(), new AbortController()];
  const offline = clientOf(api, 'editor', async (request) => {
    if (!request.url.endsWith('/catalog')) return fetch(request);
    ended.abort();
    throw new TypeError('Failed to fetch');
  });
  const sheets = await loaded(`name,category,value\n${name}a,${name},1\n`, undefined, { signal: ended.signal });
  void sheets.setOptions({ client: offline });
  await sheets.addCategories();
  at(sheets, 'previewed');
});
