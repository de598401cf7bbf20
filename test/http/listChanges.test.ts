import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { changeKeys, changesTable, keys } from '../../lib/store/records/keys.ts';
import { bearer, create, listChanges, listItemChanges, update } from '../support/api/apiRequests.ts';
import { startTestApi, type TestApi } from '../support/api/testApi.ts';

const api = await startTestApi({ recordsChanges: true });

const ask = async (query = '', headers = {}) => JSON.parse((await api.send(listChanges(query, headers))).text);
const bodyOf = async (request: Parameters<TestApi['send']>[0]) => JSON.parse((await api.send(request)).text).data;

it('GET …/changes shows what a write changed, cost to those who may see it, nothing to other accounts', async () => {
  const { next_cursor: start, read_at, ...page } = await ask();
  expect(page).toEqual({ data: [], has_more: false });
  expect(Math.abs(Date.parse(read_at) - Date.now())).toBeLessThan(10 * 60_000);
  const body = { name: 'Walked', cost: 5, metadata: { 'a/b': 1, kept: 2 } };
  const created = await bodyOf(create(body));
  const updated = await bodyOf(update(created.id, { cost: 7, metadata: { 'a/b': { z: 1, c: 2 } } }));
  await bodyOf(update(created.id, { cost: 7 }));
  const walk = (headers = {}) => ask(`?cursor=${start}`, headers);
  await vi.waitUntil(async () => (await walk()).data.length === 2, { timeout: 60_000, interval: 200 });
  const { data, next_cursor: next } = await walk();
  const { updated_at, updated_by } = updated;
  const shared = { item: created.id, updated_at, updated_by };
  const number = expect.any(Number);
  const pathOfKey = { field: 'metadata', path: '/a~1b', from: 1, to: { c: 2, z: 1 } };
  expect(data[0]).toMatchObject({ ...shared, updated_at: created.updated_at, kind: 'created', revision: 1 });
  expect(data[0].fields).toContainEqual({ field: 'name', from: null, to: 'Walked' });
  expect(data[1]).toEqual({
    ...{ ...shared, number, kind: 'updated', revision: 2, recorded_at: expect.stringMatching(/\+00:00$/) },
    fields: [{ field: 'cost', from: 5, to: 7 }, pathOfKey],
  });
  expect(JSON.stringify(data[1].fields[1].to)).toBe('{"c":2,"z":1}');
  expect(data[1].number).toBe(data[0].number + 1);
  expect(await ask(`?cursor=${start}&limit=1`)).toMatchObject({ data: [data[0]], has_more: true });
  expect(await ask(`?cursor=${next}`)).toMatchObject({ data: [], next_cursor: next, has_more: false });
  const ofItem = async (query = '', headers = {}) =>
    JSON.parse((await api.send(listItemChanges(created.id, query, headers))).text);
  expect(await ofItem()).toEqual({ data: [data[1], data[0]], next_cursor: null });
  const { next_cursor: earlier, ...newest } = await ofItem('?limit=1');
  expect(newest).toEqual({ data: [data[1]] });
  expect(await ofItem(`?limit=2&cursor=${earlier}`)).toEqual({ data: [data[0]], next_cursor: null });
  const withoutCost = bearer(api.tokens.readerWithoutCost);
  const hidden = await walk(withoutCost);
  expect(hidden.data[1].fields).toEqual([pathOfKey]);
  expect(JSON.stringify([hidden, await ofItem('', withoutCost)])).not.toContain('cost');
  // Who wrote and when is no secret, and the numbers stay consecutive.
  await bodyOf(update(created.id, { cost: 8 }));
  const last = async () => (await ask(`?cursor=${next}`, withoutCost)).data;
  await vi.waitUntil(async () => (await last()).length === 1, { timeout: 60_000, interval: 200 });
  expect(await last()).toMatchObject([{ number: data[1].number + 1, revision: 4, fields: [] }]);
  const since = async (from: string) =>
    (await ask(`?from=${from}`)).data.map(({ number: one }: { number: number }) => one);
  expect(await since(data[0].recorded_at)).toEqual([0, 1, 2].map((index) => data[0].number + index));
  expect(await since('2100-01-01T00:00:00Z')).toEqual([]);
  const other = bearer(api.tokens.otherAccount);
  expect(await ofItem('', other)).toEqual({ data: [], next_cursor: null });
  for (const elsewhere of [listItemChanges(7, `?cursor=${earlier}`), listChanges(`?cursor=${earlier}`)])
    expect((await api.send(elsewhere)).status).toBe(422);
  expect((await api.send(listItemChanges('x'))).status).toBe(404);
  expect((await ask('', other)).data).toEqual([]);
  expect(await ask(`?cursor=${next}`, other)).toMatchObject({ error: { code: 'CHANGES_EXPIRED' } });
  const account = 'demo-1';
  const UpdateExpression = 'SET expires_at = :past';
  await api.client.send(
    new UpdateCommand({
      TableName: changesTable(api.database.table),
      Key: changeKeys.change(account, data[1].number),
      ...{ UpdateExpression, ExpressionAttributeValues: { ':past': 1 } },
    }),
  );
  expect((await walk()).data).toHaveLength(1);
  expect((await api.send(listChanges(`?cursor=${(await walk()).next_cursor}`))).status).toBe(410);
});

it('GET …/items/{id}/changes shows who removed an item, and no values that are too large', async () => {
  const { id } = await bodyOf(create({ name: 'Removed', description: 'x'.repeat(20_000) }));
  await bodyOf(update(id, { description: 'é'.repeat(20_000) }));
  await api.client.send(new DeleteCommand({ TableName: api.database.table, Key: keys.item('demo-1', id) }));
  const changes = async () => JSON.parse((await api.send(listItemChanges(id))).text).data;
  await vi.waitUntil(async () => (await changes()).length === 3, { timeout: 60_000, interval: 200 });
  const [removed, updated] = await changes();
  expect(removed).toMatchObject({ kind: 'removed', revision: 2, updated_by: 'operator' });
  expect(removed.fields).toContainEqual({ field: 'name', from: 'Removed', to: null });
  expect(updated.fields).toEqual([{ field: 'description' }]);
});

it.each([
  'cursor=',
  'cursor=x',
  'cursor=MQ',
  'limit=0',
  'limit=101',
  'since=1',
  'cursor=MSA&cursor=MSA',
  'from=2026',
  'from=2026-13-01T00:00:00Z',
  'from=2026-02-30T00:00:00Z',
  'from=2026-11-24T00:00:00Z&cursor=MSA',
])('GET …/changes?%s is refused and names the parameter', async (query) => {
  const response = await api.send(listChanges(`?${query}`));
  expect(response.status).toBe(422);
  expect(JSON.parse(response.text).error.fields).toMatchObject([{ field: query.split('=')[0] }]);
});
