import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import { bearer, create, update } from './requests.ts';
import { conflict, expectItem, expectRefusal, invalid, type Refusal, shownItem } from './responses.ts';
import { type ApiResponse, startTestCatalog, type TestCatalog } from './testCatalog.ts';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await startTestCatalog();
  expectItem(await catalog.send(create({ name: 'Chair', sku: 'TAKEN' })), shownItem({ sku: 'TAKEN' }), 1);
});
afterAll(() => catalog.close());

const reused: Refusal = { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' };
const oak = { name: 'Oak', cost: 5.5, metadata: { b: 1, a: { d: [2], c: null } } };
const shownOak = shownItem(oak);

let used = 0;
/** A key that no other test uses. */
const newKey = (): string => `key-${++used}`;

const sendUnder = (key: string, body: JsonObject | string, headers: Record<string, string> = {}) =>
  catalog.send(create(body, { 'idempotency-key': key, ...headers }));

/** Asserts that an answer is another's, to the byte, and says so. */
const expectReplay = (response: ApiResponse, first: ApiResponse): void =>
  expect(response).toEqual({
    ...first,
    headers: {
      ...first.headers,
      'x-request-id': expect.not.stringContaining(first.headers['x-request-id'] ?? ''),
      'idempotency-replayed': 'true',
    },
  });

/** Creates an item under a key of its own. */
async function createOak() {
  const key = newKey();
  const first = await sendUnder(key, oak);
  return { key, first, id: expectItem(first, shownOak, 1) };
}

describe('a create that is sent again under its key', () => {
  it.each<[string, (key: string) => string, JsonObject | string]>([
    ['as it was', (key) => key, oak],
    ['with its key within quotes', (key) => `"${key}"`, oak],
    ['in another order', (key) => key, { metadata: { a: { c: null, d: [2] }, b: 1 }, cost: 5.5, name: 'Oak' }],
    [
      'in another notation',
      (key) => key,
      ' { "name" : "\\u004fak", "cost":0.55e1, "metadata":{"b":1,"a":{"d":[2.0],"c":null}}}',
    ],
    ['beside fields that a create does not read', (key) => key, { ...oak, id: 7, colour: 'red' }],
  ])('%s has the first 201 for an answer, and writes nothing', async (_, keyAs, body) => {
    const { key, first } = await createOak();
    const before = await catalog.stored();
    expectReplay(await sendUnder(keyAs(key), body), first);
    expectReplay(await sendUnder(keyAs(key), body), first);
    expect(await catalog.stored()).toEqual(before);
  });

  it('has it also when the item has changed since, and another has its code', async () => {
    const [key, sku] = [newKey(), newKey()];
    const first = await sendUnder(key, { ...oak, sku });
    const id = expectItem(first, { ...shownOak, sku }, 1);
    const later = { ...shownOak, name: 'Ash', sku: null };
    expectItem(await catalog.send(update(id, { name: 'Ash', sku: null })), later, 2);
    expectItem(await catalog.send(create({ name: 'Chair', sku })), shownItem({ sku }), 1);
    expectReplay(await sendUnder(key, { ...oak, sku }), first);
    expectItem(await catalog.send(update(id, { metadata: null })), later, 3);
  });

  it('has it without the cost for a caller who may not see it any more', async () => {
    const { key, first } = await createOak();
    const now = Date.now();
    const lesser = { account: 'demo-1', user: 'editor', permissions: ['catalog:edit'] as const };
    const expiresAt = Math.floor(now / 1000) + 60;
    const { token } = await issueToken(catalog.database, timedContext(now + 5_000), { ...lesser, expiresAt }, now);
    const text = first.text.replace('"cost":5.5,', '');
    expectReplay(await sendUnder(key, oak, bearer(token)), { ...first, text });
    expectReplay(await sendUnder(key, oak), first);
  });

  it('creates one item when all are sent at once', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendUnder(key, { ...oak, sku: key })));
    const isReplay = ({ headers }: ApiResponse) => headers['idempotency-replayed'] === 'true';
    const [first, ...others] = answers.filter((answer) => !isReplay(answer));
    if (first === undefined) throw new Error('All of them are replays');
    expectItem(first, { ...shownOak, sku: key }, 1);
    expect(others).toEqual([]);
    for (const answer of answers.filter(isReplay)) expectReplay(answer, first);
  });

  it('is refused with another body, and the first stays what it was', async () => {
    const { key, first } = await createOak();
    const before = await catalog.stored();
    expectRefusal(await sendUnder(key, { ...oak, name: 'Ash' }), reused);
    expect(await catalog.stored()).toEqual(before);
    expectReplay(await sendUnder(key, oak), first);
  });

  it("creates another item for another user, and for another account's", async () => {
    const { key, id } = await createOak();
    const { cost: _, ...withoutCost } = shownOak;
    const colleague = await sendUnder(key, oak, bearer(catalog.tokens.editorWithoutCost));
    expect(expectItem(colleague, withoutCost, 1)).not.toBe(id);
    expectItem(await sendUnder(key, oak, bearer(catalog.tokens.otherAccount)), { ...shownOak, tax: 2.5 }, 1);
  });
});

describe('a key', () => {
  it.each(['a', '"b"', '!#$%&()*+,-./:;<=>?@[]^_`{|}~', 'x'.repeat(255), `"${'y'.repeat(255)}"`])(
    'may be %s',
    async (key) => {
      const first = await sendUnder(key, oak);
      expectItem(first, shownOak, 1);
      expectReplay(await sendUnder(key, oak), first);
    },
  );

  it.each<[string, JsonObject, Refusal]>([
    ['an invalid field', { ...oak, value: -1 }, invalid('value')],
    ['a taken code', { ...oak, sku: 'TAKEN' }, conflict],
  ])('is not used up by a create that is refused for %s', async (_, body, refusal) => {
    const key = newKey();
    const before = await catalog.stored();
    expectRefusal(await sendUnder(key, body), refusal);
    expectRefusal(await sendUnder(key, body), refusal);
    expect(await catalog.stored()).toEqual(before);
    expectItem(await sendUnder(key, oak), shownOak, 1);
    expectRefusal(await sendUnder(key, body), refusal.code === 'VALIDATION_FAILED' ? refusal : reused);
  });

  it('means nothing to an update', async () => {
    const { key, id } = await createOak();
    for (const [index, value] of [key, key, 'a b'].entries())
      expectItem(
        await catalog.send(update(id, { value: 1 }, { 'idempotency-key': value })),
        { ...shownOak, value: 1 },
        index + 2,
      );
  });
});
