import { describe, expect, it, vi } from 'vitest';
import { issueToken } from '../../admin/accounts/accounts.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { bearer, configure, create, update } from '../support/api/apiRequests.ts';
import { changedRecords, expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { alreadyExists, invalid, keyReused, type Refusal } from '../support/api/refusals.ts';
import { type ApiResponse, startTestApi } from '../support/api/testApi.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

const day = 24 * 60 * 60 * 1_000;

const api = await startTestApi();
expectItem(await api.send(create({ name: 'Chair', sku: 'TAKEN' })), shownItem({ sku: 'TAKEN' }), 1);

const oak = { name: 'Oak', cost: 5.5, active: true, sku: null, metadata: { b: 1, a: { d: [2], c: null } } };
const shownOak = shownItem(oak);

let keysUsed = 0;
/** A key that no other test uses. */
const newKey = (): string => `key-${++keysUsed}`;

const createWithKey = (key: string, body: JsonObject | string, headers: Record<string, string> = {}) =>
  create(body, { 'idempotency-key': key, ...headers });

const updateWithKey = (id: number, key: string, body: JsonObject, headers: Record<string, string> = {}) =>
  update(id, body, { 'idempotency-key': key, ...headers });

/** Asserts that a response is the first one to the byte, and says so. */
const expectReplay = (response: ApiResponse, first: ApiResponse): void =>
  expect(response).toEqual({
    ...first,
    headers: {
      ...first.headers,
      'x-request-id': expect.not.stringContaining(first.headers['x-request-id'] ?? ''),
      'idempotency-replayed': 'true',
    },
  });

function withoutReplayed({ headers }: ApiResponse): ApiResponse['headers'] {
  const { 'idempotency-replayed': _, ...others } = headers;
  return others;
}

/** Creates an item with a key of its own. */
async function createOak() {
  const key = newKey();
  const first = await api.send(createWithKey(key, oak));
  return { key, first, id: expectItem(first, shownOak, 1) };
}

describe('a create that is retried with its key', () => {
  it.each<[string, (key: string) => string, JsonObject]>([
    ['unchanged', (key) => key, oak],
    ['with its key in quotes', (key) => `"${key}"`, oak],
    ['with other values that are stored alike', (key) => key, { ...oak, cost: 5.50004, active: 1, sku: ' \t' }],
  ])('%s returns the first 201 and writes nothing', async (_, keyAs, body) => {
    const { key, first } = await createOak();
    const changed = await changedRecords(api, async () => {
      expectReplay(await api.send(createWithKey(keyAs(key), body)), first);
      expectReplay(await api.send(createWithKey(keyAs(key), body)), first);
    });
    expect(changed).toEqual([]);
  });

  it('returns the first 201 even after the item has changed and another item has taken its SKU', async () => {
    const [key, sku] = [newKey(), newKey()];
    const first = await api.send(createWithKey(key, { ...oak, sku }));
    const id = expectItem(first, { ...shownOak, sku }, 1);
    const updated = { ...shownOak, name: 'Ash', sku: null };
    expectItem(await api.send(update(id, { name: 'Ash', sku: null })), updated, 2);
    expectItem(await api.send(create({ name: 'Chair', sku })), shownItem({ sku }), 1);
    expectReplay(await api.send(createWithKey(key, { ...oak, sku })), first);
    expectItem(await api.send(update(id, { metadata: null })), updated, 3);
  });

  it('returns the first 201 without cost to a caller who may no longer see it', async () => {
    const { key, first } = await createOak();
    const now = Date.now();
    const caller = { account: 'demo-1', user: 'editor', permissions: ['catalog:edit'] as const };
    const expiresAt = Math.floor(now / 1000) + 3_600;
    const { token } = await issueToken(api.database.for(timedContext(now + 60_000)), { ...caller, expiresAt }, now);
    const text = first.text.replace('"cost":5.5,', '');
    expectReplay(await api.send(createWithKey(key, oak, bearer(token))), { ...first, text });
    expectReplay(await api.send(createWithKey(key, oak)), first);
  });

  it('returns the first 201 with the current name of its category, even if that was archived since', async () => {
    const key = newKey();
    const body = { name: 'Chair', category: 3 };
    const shown = shownItem({ category: 3, category_name: 'Services' });
    const first = await api.send(createWithKey(key, body));
    expectItem(first, shown, 1);
    await api.send(configure('updateCategory', { name: 'Former', archived: true }, bearer(api.tokens.admin), 3));
    // A container caches the account for a minute.
    setAhead(61_000);
    expectReplay(await api.send(createWithKey(key, body)), {
      ...first,
      text: first.text.replace('Services', 'Former'),
    });
  });

  it('creates another item after 24 hours, and so does an update', async () => {
    const { key, first, id } = await createOak();
    expectItem(await api.send(updateWithKey(id, key, { value: 1 })), { ...shownOak, value: 1 }, 2);
    setAhead(day - 3_600_000);
    expectReplay(await api.send(createWithKey(key, oak)), first);
    expect((await api.send(updateWithKey(id, key, { value: 1 }))).headers['idempotency-replayed']).toBe('true');
    setAhead(day + 3_600_000);
    expect(expectItem(await api.send(createWithKey(key, oak)), shownOak, 1)).not.toBe(id);
    expectItem(await api.send(updateWithKey(id, key, { value: 1 })), { ...shownOak, value: 1 }, 3);
    expect((await api.send(updateWithKey(id, key, { value: 1 }))).headers['idempotency-replayed']).toBe('true');
  });

  it('returns 422 for a different body, and still replays the first', async () => {
    const { key, first } = await createOak();
    const others = [
      { ...oak, name: 'Ash' },
      { ...oak, tag: null },
      { ...oak, value: 0 },
    ];
    await expectRefused(
      api,
      others.map((body) => createWithKey(key, body)),
      keyReused,
    );
    expectReplay(await api.send(createWithKey(key, oak)), first);
  });
});

describe('an update that is retried with its key', () => {
  it.each<[string, JsonObject, Record<string, string>]>([
    ['unchanged', { value: 2.00004, metadata: { b: 2 } }, {}],
    ['under a revision that has passed', { value: 2, metadata: { b: 2 } }, { 'if-match': '"1"' }],
  ])('%s writes nothing and returns the item as it is now', async (_, body, headers) => {
    const { id } = await createOak();
    const key = newKey();
    const shown = { ...shownOak, value: 2, metadata: { b: 2, a: { c: null, d: [2] } } };
    expectItem(await api.send(updateWithKey(id, key, { value: 2, metadata: { b: 2 } }, headers)), shown, 2);
    expectItem(await api.send(update(id, { value: 3 })), { ...shown, value: 3 }, 3);
    const changed = await changedRecords(api, async () => {
      const again = await api.send(updateWithKey(id, key, body, headers));
      expect(again.headers['idempotency-replayed']).toBe('true');
      expectItem({ ...again, headers: withoutReplayed(again) }, { ...shown, value: 3 }, 3);
    });
    expect(changed).toEqual([]);
  });

  it('writes nothing after a change of its SKU that somebody has undone', async () => {
    const { id } = await createOak();
    const [key, sku] = [newKey(), newKey()];
    expectItem(await api.send(updateWithKey(id, key, { sku })), { ...shownOak, sku }, 2);
    expectItem(await api.send(update(id, { sku: null })), shownOak, 3);
    const again = await api.send(updateWithKey(id, key, { sku }));
    expectItem({ ...again, headers: withoutReplayed(again) }, shownOak, 3);
  });

  it('is remembered over three keyed updates by others, not over four, and longer over others', async () => {
    const { id } = await createOak();
    const key = newKey();
    await api.send(updateWithKey(id, key, { value: 2 }));
    for (let value = 3; value < 6; value += 1) {
      await api.send(updateWithKey(id, newKey(), { value }, bearer(api.tokens.editorWithoutCost)));
      await api.send(update(id, { value }));
    }
    expectItem(await api.send(update(id, { metadata: null })), { ...shownOak, value: 5 }, 9);
    expect((await api.send(updateWithKey(id, key, { value: 2 }))).headers['idempotency-replayed']).toBe('true');
    expectItem(await api.send(updateWithKey(id, newKey(), { value: 6 })), { ...shownOak, value: 6 }, 10);
    expectItem(await api.send(updateWithKey(id, key, { value: 2 })), { ...shownOak, value: 2 }, 11);
  });
});

describe('an Idempotency-Key', () => {
  it.each<[string, JsonObject, Refusal]>([
    ['422', { ...oak, value: -1 }, invalid('value')],
    ['422 for an unknown category', { ...oak, category: 99 }, invalid('category')],
    ['409', { ...oak, sku: 'TAKEN' }, alreadyExists()],
  ])('can be used again after a %s', async (_, body, refusal) => {
    const key = newKey();
    await expectRefused(api, createWithKey(key, body), refusal);
    await expectRefused(api, createWithKey(key, body), refusal);
    expectItem(await api.send(createWithKey(key, oak)), shownOak, 1);
    await expectRefused(api, createWithKey(key, body), refusal.code === 'VALIDATION_FAILED' ? refusal : keyReused);
  });
});
