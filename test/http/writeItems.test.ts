import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { bearer, configure, create, get, update, writeBatch } from '../support/api/apiRequests.ts';
import { changedRecords, expectRefused } from '../support/api/apiResponses.ts';
import { forbidden, invalid, invalidHeader } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { scanAll } from '../support/table/scanAll.ts';

const api = await startTestApi();

let used = 0;
/** A code or a key that no other test uses. */
const unused = () => `b-${++used}`;

/** Sends a batch, and returns what became of its rows. */
async function write(rows: readonly unknown[], members: JsonObject = {}, key?: string): Promise<JsonObject[]> {
  const body = { ...members, rows } as JsonObject;
  const { status, text } = await api.send(writeBatch(body, { 'idempotency-key': key }));
  expect(status).toBe(200);
  return JSON.parse(text).data;
}

/** Creates an item with a single request. */
const newItem = async (fields: JsonObject = {}): Promise<number> =>
  JSON.parse((await api.send(create({ name: 'Chair', ...fields }))).text).data.id;
const read = async (id: unknown) => JSON.parse((await api.send(get(String(id)))).text).data;

const done = (status: number, id: unknown, revision: number) => ({ status, id, revision });
const created = done(201, expect.any(Number), 1);
const problem = (field: string, reason: string, rule: string) => ({
  status: 422,
  error: { message: `Invalid field: ${field}.`, code: 'VALIDATION_FAILED', fields: [{ field, reason, rule }] },
});
/** Of a row with a value that the row at this place has, too. */
const repeated = (field: string, row: number) => {
  const reason = `is also in row ${row}`;
  const error = { ...problem(field, '', '').error, fields: [{ field, reason, rule: 'repeated', row }] };
  return { status: 422, error };
};
const reused = expect.objectContaining({ error: expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }) });

/** The largest id, which no item has. */
const missing = 9_007_199_254_740_991;

describe('a batch', () => {
  it('creates and updates items, and refuses each row as the same row in a request of its own', async () => {
    const [sku, taken] = [unused(), unused()];
    const id = await newItem();
    await newItem({ sku: taken });
    const refused: readonly JsonObject[] = [
      { value: -1, metadata: { a: { b: 1e300 } } },
      { name: 'Chair', sku: ` ${taken}` },
      { name: 'Chair', category: 4, unit: 'none' },
      { id: await newItem() },
      { id: missing, value: 1 },
      { id: await newItem(), revision: 7, value: 1 },
      { id: await newItem(), revision: 7, sku: taken },
      { id: await newItem(), category: 4 },
    ];
    const [first, ...others] = await write([
      { name: 'Oak', sku, revision: 'ignored' },
      ...refused,
      { id, revision: 1, value: 2 },
    ]);
    expect(first).toEqual(created);
    expect(others.pop()).toEqual(done(200, id, 2));
    for (const [index, { id: of, revision, ...body }] of refused.entries()) {
      const ifMatch = { 'if-match': revision === undefined ? undefined : `"${revision}"` };
      const single = await api.send(of === undefined ? create(body) : update(Number(of), body, ifMatch));
      const { error } = JSON.parse(single.text);
      const current = single.status === 412 && { id: of, revision: 1 };
      const message = single.status === 412 ? 'editor has changed the item since.' : error.message;
      expect(others[index]).toEqual({ status: single.status, ...current, error: { ...error, message } });
    }
    expect(await read(first?.['id'])).toMatchObject({ name: 'Oak', sku, revision: 1, updated_by: 'editor' });
    expect(await read(id)).toMatchObject({ value: 2, revision: 2 });
  });

  const rows = [{ name: 'Chair' }];
  it.each([
    ['no rows', {}, 'rows'],
    ['rows that are no list', { rows: { name: 'Chair' } }, 'rows'],
    ['an empty list of rows', { rows: [] }, 'rows'],
    ['51 rows', { rows: Array(51).fill({ name: 'Chair' }) }, 'rows'],
    ['another field to match', { rows, match: 'name' }, 'match'],
    ['a text as dry_run', { rows, dry_run: 'false' }, 'dry_run'],
    ['dry_run and match of null', { rows, dry_run: null, match: null }, 'match', 'dry_run'],
    ['a text as create', { rows, create: 'false' }, 'create'],
    ['more keys than rows', { rows, keys: ['a', null] }, 'keys'],
    ['a key twice', { rows: Array(2).fill(rows[0]), keys: ['a', 'a'] }, 'keys'],
    ['a text as keys', { rows, keys: 'a' }, 'keys'],
    ['an unknown member of match', { rows, match: { field: 'sku', dry_run: true } }, 'match'],
    ['another way with what is unchanged', { rows, match: { unchanged: 'write' } }, 'match'],
    ['unchanged beside match', { rows, unchanged: 'skip' }, 'unchanged'],
    ['keys beside a match that could have them', { rows, match: {}, keys: ['a'], create: true }, 'create', 'keys'],
    ['misspelt members', { dryRun: true, rows, Match: 'sku', '': 1 }, 'dryRun', 'Match', '(unnamed)'],
    ['members of a row', JSON.parse('{ "__proto__": 1, "id": 1 }'), 'rows', '__proto__', 'id'],
  ])('is refused as a whole with %s, and then writes nothing', async (_what, body, ...fields) => {
    await expectRefused(api, writeBatch(body), invalid(...fields));
  });

  it('needs the permission to edit, and a well-formed key', async () => {
    await expectRefused(api, writeBatch({ rows }, bearer(api.tokens.reader)), forbidden);
    await expectRefused(api, writeBatch({ rows }, { 'idempotency-key': 'a b' }), invalidHeader('Idempotency-Key'));
    for (const own of ['a b', 'k'.repeat(256)])
      expect(await api.send(writeBatch({ rows, keys: [own] }))).toMatchObject({ status: 422 });
  });

  it('is refused with If-Match, and with any query', async () => {
    for (const value of ['*', '"1"', ''])
      await expectRefused(api, writeBatch({ rows }, { 'if-match': value }), invalidHeader('If-Match'));
    const { path, ...request } = writeBatch({ rows });
    await expectRefused(api, { ...request, path: `${path}?dry_run=true&match=sku` }, invalid('dry_run', 'match'));
  });

  it.each([
    ['id', 'must be the id of an item'],
    ['revision', 'must be a revision of the item'],
  ])('refuses each row whose %s is null or anything else that cannot be one', async (member, reason) => {
    const odd = [null, '', '1', true, [], {}, [1], 0, -1, 1.5, 2 ** 53, Number.MAX_VALUE];
    const batch = odd.map((value, index) => ({ id: index + 1, name: 'Odd', sku: unused(), [member]: value }));
    const refused = odd.map(() => ({ status: 422, error: { fields: [{ field: member, reason }] } }));
    const changed = await changedRecords(api, async () => {
      for (const members of [{}, { match: 'sku' }, { dry_run: true }])
        expect(await write(batch, members)).toMatchObject(refused);
    });
    expect(changed).toEqual([]);
  });

  it('refuses a row that is no object or names no item, and all but the first of an item or a matched code', async () => {
    const [sku, other] = [unused(), unused()];
    const id = await newItem({ sku });
    const mixed = [null, ['x'], { id: '1' }, { id, revision: '1' }, { sku: other, name: 'New' }, { id, value: 2 }];
    expect(await write([...mixed, { sku: ` ${other} `, value: 3 }, { sku }, ...rows], { match: 'sku' })).toEqual([
      problem('row', 'must be an object', 'type'),
      problem('row', 'must be an object', 'type'),
      problem('id', 'must be the id of an item', 'type'),
      problem('revision', 'must be a revision of the item', 'type'),
      created,
      repeated('id', 4),
      repeated('sku', 5),
      repeated('id', 4),
      created,
    ]);
  });

  it.each(['sku', 'pn'] as const)('updates the item with the %s of a row, and creates the others', async (match) => {
    const code = unused();
    const id = await newItem({ [match]: code });
    const codes = [{ [match]: ` ${code}` }, { [match]: unused() }, { [match]: null }, {}];
    const results = await write(
      codes.map((each) => ({ ...each, name: 'New' })),
      { match },
    );
    expect(results).toEqual([done(200, id, 2), created, created, created]);
    expect(await read(id)).toMatchObject({ name: 'New', [match]: code });
  });

  it.each(['sku', 'pn'] as const)('looks up the matched %s alone: if the other is taken, it is 409', async (match) => {
    const other = match === 'sku' ? 'pn' : 'sku';
    const [code, taken] = [unused(), unused()];
    const item = await newItem({ [other]: taken });
    await newItem({ [match]: code });
    const conflict = { status: 409, error: { fields: [{ field: other, item }] } };
    const batch = [code, unused()].map((each) => ({ name: 'New', [match]: each, [other]: taken }));
    // Of several in one dry run, all but the first are refused for that.
    for (const row of batch)
      for (const dry_run of [true, false]) expect(await write([row], { match, dry_run })).toMatchObject([conflict]);
  });
});

describe('a batch that creates nothing', () => {
  it('refuses rows that name or match no item, with all that is wrong with them', async () => {
    const [sku, unknown] = [unused(), unused()];
    const id = await newItem({ sku });
    const rows = [{ sku, value: 1 }, { sku: unknown, name: 'New' }, { name: 'Subtotal', value: -1 }, { sku: ' ' }];
    const without = problem('sku', 'is required', 'required').error;
    const refused = [
      { status: 404, error: { code: 'ITEM_NOT_FOUND', message: `No item has the sku ${unknown}.`, field: 'sku' } },
      { status: 422, error: { fields: [{ field: 'sku' }, { field: 'value' }] } },
      { status: 422, error: without },
    ];
    const forms: JsonObject[] = [{ match: 'sku', create: false }, { match: { field: 'sku', create: false } }];
    for (const members of [...forms.map((form) => ({ ...form, dry_run: true })), forms[1]]) {
      const results = await write(rows, members);
      expect(results).toMatchObject([{ status: 200, id, revision: 2 }, ...refused]);
    }
    const named = [
      { id, value: 2 },
      { sku, value: 3 },
    ];
    expect(await write(named, { create: false })).toMatchObject([
      { status: 200 },
      problem('id', 'is required', 'required'),
    ]);
  });
});

describe('rows with keys of their own', () => {
  it('are created once, also by another batch, while the others have the key of the batch', async () => {
    const [own, key] = [unused(), unused()];
    const [row, other] = [{ name: 'Own', pn: unused() }, { name: 'Other' }];
    const [first, second] = await write([row, other], { keys: [own, null] }, key);
    expect([first, second]).toEqual([created, created]);
    const replayed = { ...first, replayed: true };
    const changed = await changedRecords(api, async () => {
      for (const dry_run of [true, false])
        expect(await write([other, row], { keys: [null, own], dry_run }, unused())).toEqual([
          expect.anything(),
          replayed,
        ]);
    });
    expect(Object.keys(changed)).toHaveLength(2);
    expect(await write([row, other], { match: { keys: [own, null] } }, key)).toEqual([
      replayed,
      { ...second, replayed: true },
    ]);
    expect(await write([{ ...row, value: 1 }], { keys: [own] })).toEqual([reused]);
    // It is no key of a batch, nor of a single request.
    expect((await api.send(create(row, { 'idempotency-key': own }))).status).toBe(409);
    expect(await write([row], {}, own)).toMatchObject([{ status: 409 }]);
  });

  it('are found only by what they have created if they are sent again with nothing to create', async () => {
    const [own, row] = [unused(), { name: 'Own', sku: unused() }];
    expect(await write([row], { keys: [own], match: 'sku' })).toEqual([created]);
    const again = { keys: [own], match: 'sku', create: false };
    expect(await write([row], again)).toMatchObject([{ status: 404, error: { code: 'ITEM_NOT_FOUND' } }]);
  });
});

describe('a batch that is repeated with its key', () => {
  it('answers what was done as replayed, writes nothing, and refuses a row that is another one', async () => {
    const [key, id] = [unused(), await newItem()];
    const rows = [{ name: 'A', sku: unused() }, { id, value: 1 }, { name: 'B' }];
    const first = await write(rows, {}, key);
    const changed = await changedRecords(api, async () => {
      expect(await write(rows, {}, key)).toEqual(first.map((result) => ({ ...result, replayed: true })));
      const again = [{ name: 'A', sku: unused() }, { id, value: 2 }, rows[2]];
      expect(await write(again, {}, key)).toEqual([reused, reused, { ...first[2], replayed: true }]);
    });
    expect(changed).toEqual([]);
    // The key of an update is its item's.
    const other = await newItem();
    expect((await write([rows[0], { id: other, value: 1 }], {}, key))[1]).toEqual(done(200, other, 2));
    // The keys of rows are not those of requests.
    for (const single of [key, `${key}1`])
      expect((await api.send(create({ name: 'A' }, { 'idempotency-key': single }))).status).toBe(201);
  });

  it('matches nothing that it has created itself, and overwrites nothing that others have written since', async () => {
    const [key, sku, known] = [unused(), unused(), unused()];
    const existing = await newItem({ sku: known });
    const rows = [
      { name: 'A', sku },
      { sku: known, value: 1 },
    ];
    const [first] = await write(rows, { match: 'sku' }, key);
    for (const id of [Number(first?.['id']), existing]) await api.send(update(id, { value: 9 }));
    const changed = await changedRecords(api, async () => {
      const replayed = [first, done(200, existing, 3)].map((result) => ({ ...result, replayed: true }));
      expect(await write(rows, { match: 'sku' }, key)).toEqual(replayed);
      expect(await write([{ name: 'A', sku, value: 2 }], { match: 'sku' }, key)).toEqual([reused]);
    });
    expect(changed).toEqual([]);
  });
});

describe('rows that change nothing, if they are to be skipped', () => {
  const skip = { match: { field: 'sku', unchanged: 'skip' } };

  it('keep revision, time and user, and so does a dry run, whether they are matched or named', async () => {
    const [sku, other] = [unused(), unused()];
    const id = await newItem({ sku, unit: 'kg', qty: 1.5, metadata: { a: { b: 1, c: 2 } } });
    const named = await newItem({ sku: other });
    const rows = [
      { sku: ` ${sku}`, name: 'Chair', qty: 1.5001, active: 1, metadata: { a: { c: 2, b: 1 }, gone: null } },
      { id: named, revision: 1, metadata: null },
    ];
    const kept = [id, named].map((each) => ({ ...done(200, each, 1), unchanged: true }));
    const changed = await changedRecords(api, async () => {
      expect(await write(rows, { ...skip, dry_run: true })).toEqual(kept.map((row) => ({ ...row, changes: [] })));
      expect(await write(rows, skip)).toEqual(kept);
    });
    expect(changed).toEqual([]);
    const before = [await read(id), await read(named)];
    expect(await write(rows, skip, unused())).toEqual(kept);
    expect([await read(id), await read(named)]).toEqual(before);
    const others = [{ sku, value: 1 }, { id: named, revision: 2 }, { sku: unused() }, { name: 'New', sku: unused() }];
    const results = await write(others, skip, unused());
    expect(results).toMatchObject([done(200, id, 2), { status: 400 }, { status: 422 }, created]);
    const outdated = { id: named, revision: 2, name: 'Chair' };
    expect(await write([outdated], skip)).toMatchObject([{ status: 412, revision: 1 }]);
  });

  it('do nothing when they are repeated with their key, also if others have changed the item since', async () => {
    const [sku, key] = [unused(), unused()];
    const id = await newItem({ sku, value: 1 });
    const rows = [{ sku, value: 1 }];
    expect(await write(rows, skip, key)).toEqual([{ ...done(200, id, 1), unchanged: true }]);
    await api.send(update(id, { value: 9 }));
    const changed = await changedRecords(api, async () => {
      for (const members of [skip, { match: 'sku' }])
        expect(await write(rows, members, key)).toEqual([{ ...done(200, id, 2), replayed: true }]);
      expect(await write([{ sku, value: 9 }], skip, key)).toEqual([reused]);
    });
    expect(changed).toEqual([]);
  });

  it('are written if they send a cost that the caller may not see, whether or not it is that of the item', async () => {
    const rows = [
      { id: await newItem({ cost: 1 }), cost: 1 },
      { id: await newItem({ cost: 1 }), cost: 2 },
    ];
    const { text } = await api.send(writeBatch({ ...skip, rows }, bearer(api.tokens.editorWithoutCost)));
    expect(JSON.parse(text).data).toEqual(rows.map(({ id }) => done(200, id, 2)));
  });
});

describe('a dry run', () => {
  it('returns the answer of each row, and writes nothing, not even the counter of ids', async () => {
    const [sku, taken, pn, held] = [unused(), unused(), unused(), unused()];
    const id = await newItem({ sku });
    const other = await newItem({ sku: taken, pn });
    await newItem({ pn: held });
    const rows = [
      { sku, value: 2 },
      { name: 'New', sku: unused() },
      { name: 'Taken', pn },
      { id: other, revision: 3, value: 1 },
      { id: await newItem(), revision: 3, pn: held },
      { id: missing, value: 1 },
      { id: await newItem(), category: 4 },
      {},
      { sku: taken, qty: 1.25 },
    ];
    const before = await scanAll(api.client, api.table);
    const previewed = await write(rows, { match: 'sku', dry_run: true }, unused());
    expect(await scanAll(api.client, api.table)).toEqual(before);
    expect(previewed.map(({ status }) => status)).toEqual([200, 201, 409, 412, 409, 404, 422, 422, 422]);
    const changes = [{ field: 'value', from: 0, to: 2 }];
    expect(previewed.slice(0, 2)).toEqual([
      { ...done(200, id, 2), changes },
      { status: 201, revision: 1 },
    ]);
    const results = await write(rows, { match: 'sku' });
    expect(previewed.slice(2)).toEqual(results.slice(2));
  });

  it('lists what an update would change as stored, without large values and hidden fields', async () => {
    const id = await newItem({ unit: 'kg', cost: 1, metadata: { a: 1, b: 2, long: 'x'.repeat(1_030) } });
    const row = {
      id,
      qty: 1.0004,
      unit: 'kg',
      value: 0.00005,
      sku: ' ',
      metadata: { a: 1, b: null, long: 'y', wide: 'y'.repeat(1_030) },
      cost: 2,
    };
    const seen = [
      { field: 'value', from: 0, to: 0.0001 },
      { field: 'cost', from: 1, to: 2 },
      { field: 'metadata', path: '/b', from: 2, to: null },
      { field: 'metadata', path: '/long' },
      { field: 'metadata', path: '/wide' },
    ];
    for (const token of [api.tokens.editor, api.tokens.editorWithoutCost]) {
      const { text } = await api.send(writeBatch({ rows: [row], dry_run: true }, bearer(token)));
      const hidden = seen.filter(({ field }) => field !== 'cost').concat({ field: 'cost' } as never);
      const changes = token === api.tokens.editor ? seen : hidden;
      expect(JSON.parse(text).data).toEqual([{ ...done(200, id, 2), changes }]);
    }
    // Whether a hidden cost differs is not revealed.
    for (const cost of [1, 2]) {
      const { text } = await api.send(
        writeBatch({ rows: [{ id, cost }], dry_run: true }, bearer(api.tokens.editorWithoutCost)),
      );
      expect(JSON.parse(text).data).toEqual([{ ...done(200, id, 2), changes: [{ field: 'cost' }] }]);
    }
    expect(await write([{ id, name: 'Chair' }], { dry_run: true })).toEqual([{ ...done(200, id, 2), changes: [] }]);
    const many = Array.from({ length: 60 }, (_, index) => `k${index + 10}`);
    const metadata = Object.fromEntries(many.map((key) => [key, 'z'.repeat(1_000)]));
    const changes = many.map((key) => ({ field: 'metadata', path: `/${key}` }));
    expect(await write([{ id, metadata }], { dry_run: true })).toEqual([{ ...done(200, id, 2), changes }]);
  });

  it('knows a unit that was registered a moment ago, as that of a row or of an item', async () => {
    const unit = unused();
    await write([{ name: 'So that the account is cached' }], { dry_run: true });
    const asAdmin = bearer(api.tokens.admin);
    expect((await api.send(configure('createUnit', { unit, decimals: 1 }, asAdmin))).status).toBe(201);
    const id = await newItem({ unit });
    // In a batch of its own, because a row in the unit has the account read again.
    expect(await write([{ id, qty: 1.25 }], { dry_run: true })).toMatchObject([done(200, id, 2)]);
    expect(await write([{ name: 'New', unit }], { dry_run: true })).toEqual([{ status: 201, revision: 1 }]);
  });

  it('refuses rows with one code, of which only one can have it', async () => {
    const pn = unused();
    const previewed = await write(
      [
        { name: 'A', pn },
        { name: 'B', pn },
      ],
      { dry_run: true },
    );
    expect(previewed).toEqual([{ status: 201, revision: 1 }, repeated('pn', 1)]);
  });
});
