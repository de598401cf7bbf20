import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { bearer, create, get, update, writeBatch } from '../support/apiRequests.ts';
import { changedRecords, expectRefused } from '../support/apiResponses.ts';
import { forbidden, invalid, invalidHeader } from '../support/refusals.ts';
import { scanAll } from '../support/scanAll.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

let used = 0;
/** A code or a key that no other test uses. */
const unused = () => `b-${++used}`;

interface RowResult {
  readonly status: number;
  readonly id?: number;
  readonly revision?: number;
  readonly replayed?: boolean;
  readonly error?: { readonly code: string; readonly fields?: readonly { readonly reason: string }[] };
}

/** Sends a batch, and returns what became of its rows. */
async function write(rows: readonly unknown[], members: JsonObject = {}, key?: string): Promise<RowResult[]> {
  const body = { ...members, rows } as JsonObject;
  const response = await api.send(writeBatch(body, key === undefined ? {} : { 'idempotency-key': key }));
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return JSON.parse(response.text).data;
}

/** Creates an item with a single request. */
async function newItem(fields: JsonObject = {}): Promise<number> {
  return JSON.parse((await api.send(create({ name: 'Chair', ...fields }))).text).data.id;
}

const read = async (id: number) => JSON.parse((await api.send(get(id))).text).data;
const problem = (field: string, reason: string, rule: string) => ({
  status: 422,
  error: { message: `Invalid field: ${field}.`, code: 'VALIDATION_FAILED', fields: [{ field, reason, rule }] },
});

describe('a batch', () => {
  it('creates and updates items, and answers each row as the same row in a request of its own', async () => {
    const [sku, taken] = [unused(), unused()];
    const [id, other] = [await newItem(), await newItem({ sku: taken, cost: 7 })];
    const missing = 9_007_199_254_740_991;
    const refused: readonly [row: JsonObject, ReturnType<typeof create>][] = [
      [{ value: -1, metadata: { a: { b: 1e300 } } }, create({ value: -1, metadata: { a: { b: 1e300 } } })],
      [{ name: 'Chair', sku: ` ${taken}` }, create({ name: 'Chair', sku: ` ${taken}` })],
      [{ name: 'Chair', category: 4, unit: 'none' }, create({ name: 'Chair', category: 4, unit: 'none' })],
      [{ id: other }, update(other, {})],
      [{ id: missing, value: 1 }, update(missing, { value: 1 })],
      [{ id: await newItem(), revision: 7, value: 1 }, update(other, { value: 1 }, { 'if-match': '"7"' })],
      [{ id: await newItem(), revision: 7, sku: taken }, update(id, { sku: taken }, { 'if-match': '"7"' })],
      [{ id: await newItem(), category: 4 }, update(id, { category: 4 })],
    ];
    const rows = [
      { name: 'Oak', sku, revision: 'ignored' },
      ...refused.map(([row]) => row),
      { id, revision: 1, value: 2 },
    ];
    const results = await write(rows);
    expect(results.at(0)).toEqual({ status: 201, id: expect.any(Number), revision: 1 });
    expect(results.at(-1)).toEqual({ status: 200, id, revision: 2 });
    for (const [index, [{ id: of }, single]] of refused.entries()) {
      const response = await api.send(single);
      const { error } = JSON.parse(response.text);
      const current = response.status === 412 && { id: of, revision: 1 };
      expect(results[index + 1]).toEqual({ status: response.status, ...current, error });
    }
    expect(await read(Number(results[0]?.id))).toMatchObject({ name: 'Oak', sku, revision: 1, updated_by: 'editor' });
    expect(await read(id)).toMatchObject({ value: 2, revision: 2 });
  });

  it.each([
    ['no rows', {}, 'rows'],
    ['rows that are no list', { rows: { name: 'Chair' } }, 'rows'],
    ['an empty list of rows', { rows: [] }, 'rows'],
    ['51 rows', { rows: Array(51).fill({ name: 'Chair' }) }, 'rows'],
    ['another field to match', { rows: [{ name: 'Chair' }], match: 'name' }, 'match'],
    ['a text as dry_run', { rows: [{ name: 'Chair' }], dry_run: 'false' }, 'dry_run'],
  ])('is refused as a whole with %s, and then writes nothing', async (_what, body, field) => {
    await expectRefused(api, writeBatch(body), invalid(field));
  });

  it('needs the permission to edit, and a well-formed key', async () => {
    const body = { rows: [{ name: 'Chair' }], unknown: 1 };
    await expectRefused(api, writeBatch(body, bearer(api.tokens.reader)), forbidden);
    await expectRefused(api, writeBatch(body, { 'idempotency-key': 'a b' }), invalidHeader('Idempotency-Key'));
  });

  it('refuses a row that is no object, or does not name an item, and writes the others', async () => {
    const id = await newItem();
    expect(
      await write([null, ['x'], { id: '1', name: 'Chair' }, { id: 0 }, { id, revision: '1' }, { name: 'Ash' }]),
    ).toEqual([
      problem('row', 'must be an object', 'type'),
      problem('row', 'must be an object', 'type'),
      problem('id', 'must be the id of an item', 'type'),
      expect.objectContaining({ status: 422 }),
      problem('revision', 'must be a revision of the item', 'type'),
      { status: 201, id: expect.any(Number), revision: 1 },
    ]);
  });

  it('refuses all but the first row of an item, or of a code that is matched', async () => {
    const [sku, other] = [unused(), unused()];
    const id = await newItem({ sku });
    const rows = [
      { id, value: 1 },
      { sku: other, name: 'New' },
      { id, value: 2 },
      { sku: ` ${other} `, value: 3 },
      { sku },
    ];
    expect(await write(rows, { match: 'sku' })).toEqual([
      { status: 200, id, revision: 2 },
      { status: 201, id: expect.any(Number), revision: 1 },
      problem('id', 'is also in row 1', 'repeated'),
      problem('sku', 'is also in row 2', 'repeated'),
      problem('id', 'is also in row 1', 'repeated'),
    ]);
  });

  it.each(['sku', 'pn'] as const)(
    'updates the item that has the %s of a row, and creates the others',
    async (match) => {
      const code = unused();
      const id = await newItem({ [match]: code, value: 1 });
      const rows = [
        { [match]: ` ${code}`, value: 2 },
        { name: 'New', [match]: unused() },
        { name: 'None', [match]: null },
        { name: 'No' },
      ];
      expect((await write(rows, { match })).map(({ status, revision }) => [status, revision])).toEqual([
        [200, 2],
        [201, 1],
        [201, 1],
        [201, 1],
      ]);
      expect(await read(id)).toMatchObject({ name: 'Chair', [match]: code, value: 2 });
    },
  );
});

describe('a batch that is repeated with its key', () => {
  it('answers what was done as replayed, writes nothing, and refuses a row that is another one', async () => {
    const [key, sku] = [unused(), unused()];
    const id = await newItem();
    const rows = [{ name: 'A', sku }, { id, value: 1 }, { name: 'B' }];
    const first = await write(rows, {}, key);
    const changed = await changedRecords(api, async () => {
      expect(await write(rows, {}, key)).toEqual(first.map((result) => ({ ...result, replayed: true })));
      const others = await write([{ name: 'A', sku: unused() }, { id, value: 2 }, rows[2]], {}, key);
      expect(others.map(({ error }) => error?.code)).toEqual([
        'IDEMPOTENCY_KEY_REUSED',
        'IDEMPOTENCY_KEY_REUSED',
        undefined,
      ]);
    });
    expect(changed).toEqual([]);
    // The rows' keys are not those of requests.
    for (const single of [key, `${key}1`])
      expect((await api.send(create({ name: 'A' }, { 'idempotency-key': single }))).status).toBe(201);
  });

  it('does not match what it has created itself, and overwrites nothing that others have written since', async () => {
    const [key, sku, updated] = [unused(), unused(), unused()];
    const existing = await newItem({ sku: updated });
    const rows = [
      { name: 'A', sku, value: 1 },
      { sku: updated, value: 1 },
    ];
    const first = await write(rows, { match: 'sku' }, key);
    const created = Number(first[0]?.id);
    for (const id of [created, existing]) await api.send(update(id, { value: 9 }));
    const changed = await changedRecords(api, async () => {
      expect(await write(rows, { match: 'sku' }, key)).toEqual([
        { ...first[0], replayed: true },
        { ...first[1], revision: 3, replayed: true },
      ]);
    });
    expect(changed).toEqual([]);
    expect(await write([{ name: 'A', sku, value: 2 }], { match: 'sku' }, key)).toMatchObject([
      { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    ]);
  });

  it('writes an item again that has had four other updates with a key since', async () => {
    const key = unused();
    const id = await newItem();
    await write([{ id, value: 1 }], {}, key);
    for (let times = 0; times < 4; times += 1)
      await api.send(update(id, { value: 9 }, { 'idempotency-key': unused() }));
    expect(await write([{ id, value: 1 }], {}, key)).toEqual([{ status: 200, id, revision: 7 }]);
  });
});

describe('a dry run', () => {
  it('tells how each row would be answered, and writes nothing, not even the counter of ids', async () => {
    const [sku, taken, pn] = [unused(), unused(), unused()];
    const id = await newItem({ sku });
    const other = await newItem({ sku: taken, pn });
    const third = unused();
    await newItem({ pn: third });
    const rows = [
      { sku, value: 2 },
      { name: 'New', sku: unused() },
      { name: 'Taken', pn },
      { id: other, revision: 3, value: 1 },
      { id: await newItem(), revision: 3, pn: third },
      { id: 9_007_199_254_740_991, value: 1 },
      { id: await newItem(), category: 4 },
      {},
      { sku: taken, qty: 1.25 },
    ];
    const before = await scanAll(api.client, api.table);
    const told = await write(rows, { match: 'sku', dry_run: true }, unused());
    expect(await scanAll(api.client, api.table)).toEqual(before);
    const done = await write(rows, { match: 'sku' });
    expect(told).toEqual(
      done.map(({ id: of, ...result }) => ({
        ...result,
        ...(result.status !== 201 && of !== undefined && { id: of }),
      })),
    );
    expect(told.map(({ status }) => status)).toEqual([200, 201, 409, 412, 409, 404, 422, 422, 422]);
    expect(told[0]).toEqual({ status: 200, id, revision: 2 });
  });

  it('refuses rows with one code, of which only one can have it', async () => {
    const pn = unused();
    expect(
      await write(
        [
          { name: 'A', pn },
          { name: 'B', pn },
        ],
        { dry_run: true },
      ),
    ).toEqual([{ status: 201, revision: 1 }, problem('pn', 'is also in row 1', 'repeated')]);
  });
});
