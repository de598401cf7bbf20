import './clock.ts';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { keyIn, parseKey } from '../../lib/store/records/keys.ts';
import { newTokenRecord } from '../../lib/store/records/tokenRecord.ts';
import { create, get, getCatalog, list, update } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { batch, put, stored } from '../support/table/storedRecords.ts';
import { ask, type Fixture } from './fixture.ts';

const fixture = JSON.parse(readFileSync(new URL('records.json', import.meta.url), 'utf8')) as Fixture;
const { tokens, records, exchanges } = fixture;

const findings = async () => allFindings(await stored({ client: api.client, table: api.database.table }), Date.now());

const api = await startTestApi();
await batch({ client: api.client, table: api.database.table }, records.map(put));

it('the fixture has every kind of record, and a fenced and a restored item', () => {
  const kinds = records.map((record) => parseKey(keyIn(record))?.kind);
  expect(new Set(kinds)).toEqual(
    new Set([...['account', 'category', 'unit', 'item', 'guard', 'counter', 'idempotency', 'token', 'token entry']]),
  );
  const [restored, others] = [true, false].map((is) =>
    records.filter(({ id, written_by }) => id !== undefined && (written_by === 'operator') === is),
  );
  expect(restored).toHaveLength(1);
  expect(others?.filter((record) => 'closed_until' in record)).toHaveLength(1);
});

it('records of an earlier version are consistent', async () => {
  expect(await findings()).toEqual([]);
});

/** Who wrote the records. */
const writer = expect.stringMatching(/^(ann|operator)$/);

/** A page leads on where it did. Each version may have cursors of its own, if it takes those of the earlier one. */
const withOwnCursor = (answer: (typeof exchanges)[number]['answer']) =>
  typeof Object(answer.body).next_cursor === 'string'
    ? { ...answer, body: { ...Object(answer.body), next_cursor: expect.any(String) } }
    : answer;

it('records of an earlier version are read, listed, updated and replayed with the same responses', async () => {
  for (const { by, request, answer } of exchanges) {
    const { method, path, body } = request;
    // A later version may add to the responses.
    const got = await ask(api.url, tokens[by], request);
    const { etag } = got.headers;
    const written = etag !== undefined && {
      data: { revision: JSON.parse(JSON.parse(String(etag))), updated_at: expect.any(String), updated_by: writer },
    };
    expect.soft(got, `${method} ${path} ${body ?? ''}`).toMatchObject(withOwnCursor(answer));
    expect.soft(got.body).toMatchObject({ ...written });
  }
  expect(await findings()).toEqual([]);
});

it('a type and a permission of a later version leave lists, items and tokens usable', async () => {
  const table = { client: api.client, table: api.database.table };
  const issued = createToken();
  const token = issued.replace('cat_', '');
  const created = await ask(api.url, tokens.editor, create({ name: 'Later' }));
  const { id } = created.body['data'] as { id: number };
  const item = (await stored(table)).find((record) => record['name'] === 'Later');
  const account = String(item?.['pk']).split('#')[1] ?? '';
  const expiresAt = Math.floor(Date.now() / 1000) + 3_600;
  const caller = newTokenRecord(issued, { account, user: 'ann', permissions: ['catalog:edit'], expiresAt });
  await batch(table, [
    put({ ...caller, permissions: ['catalog:price:edit', 'catalog:edit'] }),
    put({ ...item, type: 'bundle' }),
  ]);

  const shown = { id, name: 'Later', type: 'bundle' };
  const page = await ask(api.url, token, list({ search: 'later' }));
  expect(page).toMatchObject({ status: 200, body: { data: [shown] } });
  expect(await ask(api.url, token, get(id))).toMatchObject({ status: 200, body: { data: shown } });
  const updated = await ask(api.url, token, update(id, { value: 2 }));
  expect(updated).toMatchObject({ status: 200, body: { data: { ...shown, value: 2 } } });
  expect(await ask(api.url, token, update(id, { type: 'bundle' }))).toMatchObject({ status: 422 });
  const catalog = await ask(api.url, token, getCatalog());
  expect(catalog).toMatchObject({ status: 200, body: { data: { permissions: ['catalog:edit'] } } });
});

it('a new item gets an id that no earlier version has leased', async () => {
  const counter = records.find((record) => parseKey(keyIn(record))?.kind === 'counter');
  const { status, body } = await ask(api.url, tokens.editor, create({ name: 'New' }));
  expect(status).toBe(201);
  expect((body['data'] as JsonObject)['id']).toBeGreaterThan(Number(counter?.['last']));
});
