import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/item/json.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf } from '../../support/handlers.ts';
import { memoryCatalog } from '../../support/memoryCatalog.ts';
import { responseHeaders } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';

const replayed = { 'idempotency-replayed': 'true' };
const eventOf = (body: JsonObject, key = 'k', parts = {}) =>
  gatewayEvent({ body: JSON.stringify(body), headers: { 'Idempotency-Key': key }, ...parts });

function open(current = sampleAccount) {
  const memory = memoryCatalog(sampleAccount, current);
  return { ...memory, ...handlersOf(memory.catalog) };
}

describe('retrying a create with its Idempotency-Key', () => {
  it('returns the first 201 again with Idempotency-Replayed, whatever the order of keys in the body', async () => {
    const { create, items, observed } = open();
    const first = await create(eventOf({ name: 'Chair', sku: 'A', metadata: { a: 1, b: 2 } }));
    expect(first.headers).toEqual({ ...responseHeaders, etag: '"1"', location: '/api/v1/api/v1/items/1' });
    const again = await create(eventOf({ metadata: { b: 2, a: 1 }, sku: 'A', name: 'Chair' }, '"k"'));
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body));
    expect(again).toEqual({ ...first, headers: { ...first.headers, ...replayed } });
    expect(items.size).toBe(1);
    expect(observed.map((one) => one.replayed)).toEqual([false, true]);
  });

  it('shows only what the caller may see now', async () => {
    const { create } = open();
    await create(eventOf({ name: 'Chair', cost: 5 }));
    const again = await create(eventOf({ name: 'Chair', cost: 5 }, 'k', { permissions: ['catalog:edit'] }));
    expect(again).toMatchObject({ status: 201, headers: replayed });
    expect(again.body).not.toHaveProperty('data.cost');
  });

  it('rejects a different body, and creates nothing', async () => {
    const { create, items } = open();
    await create(eventOf({ name: 'Chair' }));
    expect(await create(eventOf({ name: 'Table' }))).toEqual({
      status: 422,
      headers: responseHeaders,
      body: { error: { message: 'The Idempotency-Key was used for another request.', code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    expect(items.size).toBe(1);
  });

  it('rejects a key that is malformed or sent twice, before anything is created', async () => {
    const { create, items } = open();
    const twice = {
      ...eventOf({ name: 'Chair' }),
      multiValueHeaders: { 'idempotency-key': ['k', 'k'], 'content-type': ['application/json'] },
    };
    for (const event of [eventOf({ name: 'Chair' }, ''), eventOf({ name: 'Chair' }, 'a b'), twice])
      expect(await create(event)).toEqual({
        status: 400,
        headers: responseHeaders,
        body: { error: { message: 'Invalid header: Idempotency-Key.', code: 'INVALID_REQUEST' } },
      });
    expect(items.size).toBe(0);
  });

  it('remembers nothing of a failed create, so that the key can be used for the corrected request', async () => {
    const { create } = open();
    expect((await create(eventOf({ name: '' }))).status).toBe(422);
    expect((await create(eventOf({ name: 'Chair' }))).headers).not.toHaveProperty('idempotency-replayed');
  });

  it('returns the first 201 even if its category has been archived since', async () => {
    const body = { name: 'Chair', category: 2 };
    const { catalog, create, items } = open();
    const first = await create(eventOf(body));
    const archived = new Map([...sampleAccount.categories, [2, { name: 'Furniture', archived: true }]]);
    const account = async () => ({ ...sampleAccount, categories: archived });
    const later = handlersOf({ ...catalog, account, currentAccount: account });
    expect(await later.create(eventOf(body))).toEqual({ ...first, headers: { ...first.headers, ...replayed } });
    expect((await later.create(eventOf(body, 'other'))).status).toBe(422);
    expect((await later.create(eventOf({ ...body, name: '' }))).status).toBe(422);
    expect(items.size).toBe(1);
  });

  it('leaves it to the write to find a used key, which saves a read', async () => {
    const { create, asked } = open();
    await create(eventOf({ name: 'Chair' }));
    expect(asked).toEqual(['prepareInsert', 'account', 'insertItem']);
  });

  it('does not compare an invalid body, however deeply nested it is', async () => {
    const { create, asked } = open();
    const body = `{"name":"Chair","category":99,"metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const { status } = await create(gatewayEvent({ body, headers: { 'Idempotency-Key': 'k' } }));
    expect([status, asked]).toEqual([422, ['account', 'currentAccount']]);
  });

  it('creates a separate item without a key', async () => {
    const { create, items } = open();
    await create(eventOf({ name: 'Chair' }));
    await create(gatewayEvent({ body: '{"name":"Chair"}' }));
    expect(items.size).toBe(2);
  });
});
