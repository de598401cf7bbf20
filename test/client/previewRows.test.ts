import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { loadItem } from '../../client/items/readItems.ts';
import { type ImportOptions, importRows, lastImports, type Row } from '../../client/public/importRows.ts';
import { type ImportPreview, previewRows } from '../../client/public/previewRows.ts';
import { undo } from '../../client/undo/undoChanges.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { sendFewRows } from '../support/setup/sendFewRows.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';
import { Random } from '../support/time/random.ts';

const api = await startTestApi({ recordsChanges: true });
sendFewRows();
const client = clientOf(api);

type Options = Partial<Omit<ImportOptions, 'preview'>>;

let used = 0;
/** A code that no other test uses. */
const unused = () => `L-${++used}`;

async function preview(rows: readonly Row[], options: Options = {}): Promise<ImportPreview> {
  const steps = await Array.fromAsync(previewRows(client, rows, { interval: 20, ...options }));
  return steps.at(-1) as ImportPreview;
}
const outcomes = (seen: ImportPreview) => seen.rows.map(({ outcome }) => outcome);

/** The end of an import, and the places of its rejects. */
async function run(rows: readonly Row[], options: Partial<ImportOptions> = {}) {
  const steps = await Array.fromAsync(importRows(client, rows, { storage: memoryStorage(), interval: 20, ...options }));
  const { created, updated, unchanged, replayed } = steps.at(-1) ?? {};
  const rejects = steps.flatMap((step) => step.rejectedRows).map(({ place = 0 }) => place);
  return { created, updated, unchanged, replayed, rejects: rejects.sort((a, b) => a - b) };
}

/** Writes rows without a preview. @returns the ids of the items */
async function written(rows: readonly Row[], options: Options = {}): Promise<number[]> {
  const storage = memoryStorage();
  await run(rows, { storage, ...options });
  return [...(lastImports(client, { account: 'demo-1', user: 'editor' }, { storage })[0]?.items ?? [])];
}

const valuesOf = async (id = 0) => (await loadItem(client, id)) ?? undefined;

describe('a preview', () => {
  it('shows what rows would do, writes nothing, and is what the import does', async () => {
    const [sku, other] = [unused(), unused()];
    const [id] = await written([{ name: 'Chair', sku, value: 1 }]);
    const [held] = await written([{ name: 'Desk', sku: other }]);
    const known: Row = { name: 'Known', tag: sku };
    await written([known]);
    const blanks = unused();
    await written([{ name: 'Blanks', pn: ` ${blanks} ` }]);
    const rows: Row[] = [
      { name: 'New', sku: unused() },
      { sku, value: 2, metadata: { color: 'red' } },
      known,
      { id: held ?? 0, name: 'Desk', value: 0 },
      { name: 'Taken', pn: sku, value: -1 },
      { id: held ?? 0, value: 2 },
      known,
      { name: 'Blanks', pn: blanks },
    ];
    const before = await api.records();
    const seen = await preview(rows, { match: 'sku', lines: rows.map((_, index) => index + 2) });
    expect(await api.records()).toEqual(before);
    expect(outcomes(seen)).toEqual([
      ...['create', 'update', 'duplicate', 'unchanged', 'rejected', 'rejected', 'create', 'duplicate'],
    ]);
    expect(seen.rows[1]).toMatchObject({
      id,
      changes: [
        { field: 'value', from: 1, to: 2 },
        { field: 'metadata', path: '/color', from: null, to: 'red' },
      ],
    });
    expect(seen.rows[5]?.error?.fields).toMatchObject([{ field: 'id', reason: 'is also in line 5' }]);
    const due = { created: 2, updated: 1, unchanged: 1, replayed: 2, rejects: [5, 6] };
    expect(await run(rows, { match: 'sku', preview: seen })).toEqual(due);
    expect(await valuesOf(held)).toMatchObject({ revision: 1 });
  });

  it('brings back what an undo of the import has made inactive, with its values, and then knows it', async () => {
    const rows: Row[] = [
      { name: 'Back', pn: unused(), value: 1 },
      { name: 'Other', pn: unused() },
    ];
    const storage = memoryStorage();
    await run(rows, { storage });
    const [target] = lastImports(client, { account: 'demo-1', user: 'editor' }, { storage });
    if (target === undefined) throw new Error('The import left nothing');
    const ids = target.items ?? [];
    await Array.fromAsync(undo(client, target, { storage, interval: 20 }));
    expect(await valuesOf(ids[0])).toMatchObject({ active: false, pn: null });
    const seen = await preview(rows);
    expect(outcomes(seen)).toEqual(['reactivate', 'reactivate']);
    expect(await run(rows, { preview: seen })).toMatchObject({ created: 0, updated: 2 });
    expect(await valuesOf(seen.rows[0]?.id)).toMatchObject({ active: true, pn: rows[0]?.pn, value: 1 });
    const { id = 0 } = seen.rows[0] ?? {};
    await run([{ id, value: 7 }]);
    const again = await preview(rows);
    expect(outcomes(again)).toEqual(['duplicate', 'duplicate']);
    const warning = { rule: 'made_before', item: id, text: `has made item ${id}, which was changed since` };
    expect(again.rows.map((row) => row.warning)).toEqual([warning, undefined]);
    expect(await run(rows, { preview: again, key: 'once more' })).toMatchObject({ created: 0, replayed: 2 });
  });

  it('brings back no item that somebody has changed since the preview', async () => {
    const rows: Row[] = [{ name: 'Back', sku: unused() }];
    const [id = 0] = await written(rows);
    await run([{ id, active: false }]);
    const seen = await preview(rows);
    expect(outcomes(seen)).toEqual(['reactivate']);
    await run([{ id, value: 8 }]);
    expect(await run(rows, { preview: seen })).toMatchObject({ updated: 0, rejects: [1] });
    expect(await valuesOf(id)).toMatchObject({ active: false, value: 8 });
  });

  it('names another row for an item by its place among all, in its batch or in an earlier one', async () => {
    const [sku, apart] = [unused(), unused()];
    const [id = 0] = await written([{ name: 'Twice', sku }]);
    const [other = 0] = await written([{ name: 'Apart', sku: apart }]);
    const rows: Row[] = [{ id: other, value: 1 }, ...Array.from({ length: 4 }, (_, index) => ({ name: `${index}` }))];
    rows.push({ id, value: 1 }, { sku, value: 2 }, { sku: apart, value: 2 });
    const { rows: seen } = await preview(rows, { match: 'sku' });
    const problem = (row: number) => [{ rule: 'repeated', row, reason: `is also in row ${row}` }];
    expect(seen.slice(6).map(({ error }) => error?.fields)).toMatchObject([problem(6), problem(1)]);
  });

  it('makes deleted items once more, also in a later visit, and leaves inactive ones as they were made', async () => {
    const rows: Row[] = [{ name: 'Deleted' }, { name: 'Inactive', active: false }];
    const [deleted = 0] = await written(rows);
    await api.client.send(new DeleteCommand({ TableName: api.table, Key: keys.item('demo-1', deleted) }));
    const seen = await preview(rows);
    expect(outcomes(seen)).toEqual(['create', 'duplicate']);
    const storage = memoryStorage();
    // The page is closed before it sends.
    await importRows(client, rows, { storage, preview: seen }).next();
    expect(await run(rows, { storage })).toMatchObject({ created: 1, updated: 0 });
  });

  it('is about the item that has the code by now, with the values that it has by now', async () => {
    const [kept, moved] = [unused(), unused()];
    const rows: Row[] = [
      { name: 'Kept', sku: kept, value: 1 },
      { name: 'Moved', sku: moved, value: 1 },
    ];
    const options = { match: 'sku' } as const;
    await run(rows, { ...options, preview: await preview(rows, options) });
    const [first, second] = (await preview(rows, options)).rows.map(({ id = 0 }) => id);
    await run([{ id: first ?? 0, value: 2 }]);
    await run([{ id: second ?? 0, sku: null }]);
    const [third = 0] = await written([{ name: 'Other', sku: moved, value: 3 }]);
    const { rows: seen } = await preview(rows, options);
    expect(seen).toMatchObject([
      { outcome: 'update', id: first, changes: [{ field: 'value', from: 2, to: 1 }] },
      {
        ...{ outcome: 'update', id: third },
        changes: [
          { field: 'name', to: 'Moved' },
          { field: 'value', from: 3, to: 1 },
        ],
      },
    ]);
  });

  it('resumes after a new preview with what it has created, and keeps what others wrote to that since', async () => {
    const [storage, page] = [memoryStorage(), new AbortController()];
    const options = { match: 'sku', storage, signal: page.signal } as const;
    const rows: Row[] = Array.from({ length: 10 }, () => ({ name: 'Chair', sku: unused(), value: 10 }));
    const closing = clientOf(api, 'editor', async (request) => {
      const response = await fetch(request);
      if (!request.url.endsWith('/batch')) return response;
      page.abort();
      throw new TypeError('The page is closed');
    });
    await Array.fromAsync(importRows(closing, rows, { ...options, preview: await preview(rows, { match: 'sku' }) }));
    const found = async () => (await preview(rows, { match: 'sku' })).rows.map(({ id = 0 }) => id);
    const ids = await found();
    await run(ids.map((id) => ({ id, value: 99 })));
    const due = { created: 0, updated: 0, replayed: 10 };
    expect(await run(rows, { match: 'sku', storage, preview: await preview(rows, { match: 'sku' }) })).toMatchObject(
      due,
    );
    for (const id of ids) expect(await valuesOf(id)).toMatchObject({ value: 99 });
  });

  it('sends a cost that may not be seen, although nothing tells whether it changes', async () => {
    const [id] = await written([{ name: 'Chair', sku: unused(), cost: 1 }]);
    const blind = clientOf(api, 'editorWithoutCost');
    const rows = [{ id: id ?? 0, cost: 5 }];
    const seen = (await Array.fromAsync(previewRows(blind, rows, {}))).at(-1);
    expect(seen?.rows).toMatchObject([{ outcome: 'update', changes: [{ field: 'cost' }] }]);
    await Array.fromAsync(importRows(blind, rows, { storage: memoryStorage(), preview: seen }));
    expect(await valuesOf(id)).toMatchObject({ cost: 5 });
  });

  it.each([
    ['is behind by 5 minutes', -300_000],
    ['is ahead by 11 minutes', 660_000],
  ])('can be undone as a whole, although the clock of the browser %s', async (_, ahead) => {
    const rows = Array.from({ length: 6 }, (): Row => ({ name: 'Clock', sku: unused() }));
    const { now } = Date;
    const [storage, clock] = [memoryStorage(), vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead)];
    try {
      await run(rows, { storage });
      const [target] = lastImports(client, { account: 'demo-1', user: 'editor' }, { storage });
      if (target === undefined) throw new Error('The import left nothing');
      expect((await Array.fromAsync(undo(client, target, { storage, interval: 20 }))).at(-1)).toMatchObject({
        updates: 6,
      });
    } finally {
      clock.mockRestore();
    }
  });

  it('leaves the last five imports of a user to an undo, newest first, also if they began in one second', async () => {
    const storage = memoryStorage();
    const names = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth'];
    for (const name of names) await run([{ name, sku: unused() }], { storage });
    const imports = lastImports(client, { account: 'demo-1', user: 'editor' }, { storage });
    const items = await Promise.all(imports.map(({ items = [] }) => valuesOf(items[0])));
    expect(items.map((item) => item?.name)).toEqual(names.slice(1).reverse());
    expect(lastImports(client, { account: 'demo-1', user: 'admin' }, { storage })).toEqual([]);
  });

  it('warns of a new item whose code differs only in case from that of another one', async () => {
    const sku = `Case-${unused()}`.toUpperCase();
    const [id] = await written([{ name: 'Chair', sku }]);
    const { rows } = await preview(
      [
        { name: 'Chair', sku: sku.toLowerCase() },
        { name: 'Desk', sku: unused() },
      ],
      { match: 'sku' },
    );
    const text = `has a sku that differs only in case from ${sku}, which item ${id} has`;
    const warning = { rule: 'differs_in_case', field: 'sku', code: sku, item: id, text };
    expect(rows.map((row) => row.warning)).toEqual([warning, undefined]);
  });

  it.each([undefined, ...identifierNames])('shows of 60 random rows what an import does: match %s', async (match) => {
    const random = new Random(7 + identifierNames.length);
    const name = unused();
    const code = () => `${name} ${random.below(60)}`;
    const base = Array.from(
      { length: 22 },
      (_, index): Row => ({ name, sku: `${name} ${index}`, pn: `${name} ${index + 11}` }),
    );
    const ids = await written(base);
    const rows = Array.from({ length: 60 }, (): Row => {
      const codes = {
        ...(random.chance(0.5) && { sku: random.pick([code(), code(), null]) }),
        ...(random.chance(0.4) && { pn: code() }),
      };
      const target = random.chance(0.15)
        ? { id: random.pick(ids), ...(random.chance(0.3) && { revision: random.below(3) + 1 }) }
        : {};
      const fields = { name, value: random.pick([0, 0, 1, -1]), metadata: { [code()]: 1 } };
      return { ...(random.chance(0.3) ? { name } : fields), ...codes, ...target };
    });
    await written(rows.slice(0, 15).filter(({ id }) => id === undefined));
    const seen = await preview(rows, { match });
    const refused = seen.rows.flatMap(({ outcome }, index) => (outcome === 'rejected' ? [index + 1] : []));
    const { counts } = seen;
    expect(await run(rows, { match, preview: seen })).toEqual({
      ...{ created: counts.create, updated: counts.update + counts.reactivate },
      ...{ unchanged: counts.unchanged, replayed: counts.duplicate, rejects: refused },
    });
    const done = seen.rows.flatMap(({ outcome, id, changes = [] }) => (outcome === 'update' ? [{ id, changes }] : []));
    for (const { id, changes } of done.slice(0, 10)) {
      const item = { ...(await valuesOf(id)) } as Record<string, unknown>;
      for (const { field, path, to } of changes)
        if (path === undefined) expect([field, item[field]]).toEqual([field, to]);
    }
  });
});
