import { afterAll, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { invalid } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

const api = await startTestApi();
afterAll(() => api.close());

/** Metadata with the keys `key<from>` to `key<to>`, all with the same value. */
const keys = (from: number, to: number, value: JsonObject[string] = 1): JsonObject =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [`key${from + index}`, value]));

async function createWith(metadata: JsonObject): Promise<number> {
  return expectItem(await api.send(create({ name: 'Chair', metadata })), shownItem({ metadata }), 1);
}

/** Creates an item with as many keys as an item may have; it is at revision 2. */
async function createFullItem(): Promise<number> {
  const id = await createWith(keys(1, 50));
  const full = shownItem({ metadata: keys(1, 100) });
  expectItem(await api.send(update(id, { metadata: keys(51, 100) })), full, 2);
  return id;
}

it.each([
  ['one key more', { key101: 1 }],
  ['one key more together with replaced ones', keys(90, 101)],
  ['two keys more and one removed', { key1: null, key101: 1, key102: 1 }],
  ['one key more and the removal of an unknown one', { absent: null, key101: 1 }],
])('an update of an item with 100 keys returns 422 for %s', async (_, metadata) => {
  const id = await createFullItem();
  await expectRefused(
    api,
    [update(id, { value: 1, metadata }), update(id, { metadata }, { 'if-match': '"1"' })],
    invalid('metadata'),
  );
});

it('an update of an item with 100 keys can replace keys, and add as many as it removes', async () => {
  const id = await createFullItem();
  const { key1: _, ...others } = keys(1, 101, 2);
  expectItem(
    await api.send(update(id, { metadata: { key1: null, ...keys(2, 50, 2) } })),
    shownItem({ metadata: { ...keys(2, 50, 2), ...keys(51, 100) } }),
    3,
  );
  const last = await api.send(update(id, { metadata: { ...keys(53, 101, 2), key1: null } }));
  expectItem(last, shownItem({ metadata: { ...others, key51: 1, key52: 1 } }), 4);
});

it("an update returns 422 if the item would exceed DynamoDB's size limit", async () => {
  const large = (from: number, to: number) => keys(from, to, Array(10).fill('x'.repeat(2_000)));
  const id = await createWith(large(1, 12));
  await expectRefused(api, update(id, { metadata: large(13, 24) }), invalid('metadata'));
});

it('200 concurrent updates of different keys are all applied', async () => {
  const names = ['Chair', 'Table'] as const;
  const ids: number[] = [];
  for (const name of names) ids.push(expectItem(await api.send(create({ name })), shownItem({ name }), 1));
  const updates = Array.from({ length: 200 }, (_, index) =>
    update(ids[index % 2] ?? 0, { metadata: { [`key${Math.floor(index / 2) + 1}`]: 1 } }),
  );
  const statuses = await Promise.all(updates.map(async (request) => (await api.send(request)).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  for (const [index, name] of names.entries()) {
    const response = await api.send(update(ids[index] ?? 0, { metadata: null }));
    expectItem(response, shownItem({ name, metadata: keys(1, 100) }), 102);
  }
});
