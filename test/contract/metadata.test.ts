import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { create, update } from '../support/apiRequests.ts';
import { expectItem, expectRefusal, shownItem } from '../support/apiResponses.ts';
import { invalid } from '../support/refusals.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Custom fields `key<from>` to `key<to>`, all with one value. */
const keys = (from: number, to: number, value: JsonObject[string] = 1): JsonObject =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [`key${from + index}`, value]));

/** An item with as many custom fields as there may be, at revision 2. */
async function fullItem(): Promise<number> {
  const half = keys(1, 50);
  const id = expectItem(await api.send(create({ name: 'Chair', metadata: half })), shownItem({ metadata: half }), 1);
  const full = shownItem({ metadata: keys(1, 100) });
  expectItem(await api.send(update(id, { metadata: keys(51, 100) })), full, 2);
  return id;
}

describe('merges', () => {
  it.each([
    ['a key beyond 100', { key101: 1 }],
    ['a key beyond 100 beside replaced ones', keys(90, 101)],
    ['two keys for one that is removed', { key1: null, key101: 1, key102: 1 }],
    ['a key for one that is not there', { absent: null, key101: 1 }],
  ])('with %s are refused', async (_, metadata) => {
    const id = await fullItem();
    const before = await api.records();
    expectRefusal(await api.send(update(id, { value: 1, metadata })), invalid('metadata'));
    expect(await api.records()).toEqual(before);
  });

  it('up to 100 keys are accepted, those that are removed not counted', async () => {
    const id = await fullItem();
    const { key1: _, ...others } = keys(1, 101, 2);
    expectItem(
      await api.send(update(id, { metadata: { key1: null, ...keys(2, 50, 2) } })),
      shownItem({ metadata: { ...keys(2, 50, 2), ...keys(51, 100) } }),
      3,
    );
    const last = await api.send(update(id, { metadata: { ...keys(53, 101, 2), key1: null } }));
    expectItem(last, shownItem({ metadata: { ...others, key51: 1, key52: 1 } }), 4);
  });

  it('beyond what the database keeps of an item are refused', async () => {
    const text = 'x'.repeat(2_000);
    const large = (from: number, to: number) => keys(from, to, Array(10).fill(text));
    const first = large(1, 12);
    const id = expectItem(
      await api.send(create({ name: 'Chair', metadata: first })),
      shownItem({ metadata: first }),
      1,
    );
    const before = await api.records();
    expectRefusal(await api.send(update(id, { metadata: large(13, 24) })), invalid('metadata'));
    expect(await api.records()).toEqual(before);
  });

  it('of different keys at once lose none: 200, half of them to either of two items', async () => {
    const ids: number[] = [];
    for (const name of ['Chair', 'Table'])
      ids.push(expectItem(await api.send(create({ name })), shownItem({ name }), 1));
    const merges = Array.from({ length: 200 }, (_, index) =>
      update(ids[index % 2] ?? 0, { metadata: { [`key${Math.floor(index / 2) + 1}`]: 1 } }),
    );
    const statuses = await Promise.all(merges.map(async (merge) => (await api.send(merge)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (const [index, name] of ['Chair', 'Table'].entries()) {
      const answer = await api.send(update(ids[index] ?? 0, { metadata: null }));
      expectItem(answer, shownItem({ name, metadata: keys(1, 100) }), 102);
    }
  });
});
