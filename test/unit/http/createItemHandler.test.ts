import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../lib/catalog/requestContext.ts';
import type { Account } from '../../../lib/item/account.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { shownItem } from '../../support/apiResponses.ts';
import { creationTime, fakeStore } from '../../support/fakeStore.ts';
import { arrivalTime, gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf } from '../../support/handlers.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';

const time = '2026-11-20T23:10:00+00:00';
const written = { create_date: time, revision: 1, updated_at: time, updated_by: 'ann' };
const chair = { id: 1, ...shownItem({ tax: sampleAccount.defaultTax }), ...written };
const eventOf = (body: JsonObject, parts = {}) => gatewayEvent({ body: JSON.stringify(body), ...parts });

function open(account: Account = sampleAccount, current: Account = account) {
  const fake = fakeStore([], account, current);
  return { ...fake, ...handlersOf(fake.openStore) };
}

describe('creating an item', () => {
  it('returns 201 with the item, its Location and its ETag (spec 4.1)', async () => {
    const { create, items } = open();
    expect(await create(eventOf({ name: 'Chair' }))).toEqual({
      status: 201,
      headers: { ...headers, etag: '"1"', location: '/api/v1/api/v1/items/1' },
      body: { data: chair },
    });
    expect([...items]).toEqual([[1, expect.objectContaining({ name: 'Chair', createdAt: creationTime, revision: 1 })]]);
  });

  it.each([
    ['the stage of API Gateway’s own address', '/api/v1/api/v1/items', '/live/api/v1/api/v1/items', '/live'],
    ['the base path of a domain', '/catalog/api/v1/api/v1/items', '/catalog/api/v1/api/v1/items', '/catalog'],
    ['nothing, at the root of a domain', '/api/v1/api/v1/items', '/api/v1/api/v1/items', ''],
  ])('prefixes Location with the base path of the request: %s', async (_case, path, called, before) => {
    const event = eventOf({ name: 'Chair' });
    Object.assign(event, { path });
    Object.assign(event.requestContext, { path: called });
    const { headers: answered } = await open().create(event);
    expect(answered).toMatchObject({ location: `${before}/api/v1/api/v1/items/1` });
  });

  it('calls the store on behalf of the caller, with a unique write id', async () => {
    const calls: RequestContext[] = [];
    const { create } = handlersOf((context) => {
      calls.push(context);
      return fakeStore().store;
    });
    await create(eventOf({ name: 'Chair' }));
    await create(eventOf({ name: 'Chair' }));
    const asked = { account: 'acme', user: 'ann', deadline: arrivalTime + 8_000 };
    expect(calls).toEqual([
      expect.objectContaining({ ...asked, writeId: 'write-1' }),
      expect.objectContaining({ ...asked, writeId: 'write-2' }),
    ]);
  });
});

describe('a category or unit that is missing from the cached account', () => {
  const newer = {
    ...sampleAccount,
    categories: new Map([...sampleAccount.categories, [9, { name: 'New', archived: false }]]),
    units: new Map([...sampleAccount.units, ['roll', 1]]),
  };

  it('is looked up again, and accepted if it has been added since', async () => {
    const { create, called } = open(sampleAccount, newer);
    const { status, body } = await create(eventOf({ name: 'Chair', category: 9, unit: 'roll', qty: 1.25 }));
    expect([status, body]).toEqual([
      201,
      { data: { ...chair, category: 9, category_name: 'New', unit: 'roll', qty: 1.3 } },
    ]);
    expect(called.filter((method) => method === 'insertItem')).toEqual(['insertItem']);
  });

  it('is rejected if it is still unknown, and nothing is stored', async () => {
    const { create, items, called } = open();
    expect((await create(eventOf({ name: 'Chair', unit: 'roll' }))).body).toEqual({
      error: {
        message: 'Invalid field: unit.',
        code: 'VALIDATION_FAILED',
        fields: [{ field: 'unit', reason: 'is not a registered unit of this account', rule: 'unknown_reference' }],
      },
    });
    expect([items.size, called]).toEqual([0, ['prepareInsert', 'account', 'currentAccount']]);
  });

  it('is the only reason to read the account again', async () => {
    const { create, called } = open();
    await create(eventOf({ name: 'Chair', category: 2, unit: 'kg' }));
    expect(called).not.toContain('currentAccount');
  });
});

describe('a create with an Idempotency-Key', () => {
  const key = { headers: { 'Idempotency-Key': 'k' } };

  it('returns the first 201 again with Idempotency-Replayed, and is observed as replayed', async () => {
    const { create, observed } = open();
    const first = await create(eventOf({ name: 'Chair' }, key));
    const again = await create(eventOf({ name: 'Chair' }, key));
    expect(again).toEqual({ ...first, headers: { ...first.headers, 'idempotency-replayed': 'true' } });
    expect(observed.map(({ replayed }) => replayed)).toEqual([false, true]);
  });

  it('returns the first 201 even if its category has been archived since', async () => {
    const body = { name: 'Chair', category: 2 };
    const { store, create, items } = open();
    const first = await create(eventOf(body, key));
    const archived = new Map([...sampleAccount.categories, [2, { name: 'Furniture', archived: true }]]);
    const account = async () => ({ ...sampleAccount, categories: archived });
    const later = handlersOf(() => ({ ...store, account, currentAccount: account }));
    expect(await later.create(eventOf(body, key))).toMatchObject({ status: 201, body: first.body });
    expect((await later.create(eventOf(body, { headers: { 'Idempotency-Key': 'other' } }))).status).toBe(422);
    expect((await later.create(eventOf({ ...body, name: '' }, key))).status).toBe(422);
    expect(items.size).toBe(1);
  });

  it('leaves it to the write to find a used key, which saves a read', async () => {
    const { create, called } = open();
    await create(eventOf({ name: 'Chair' }, key));
    expect(called).toEqual(['prepareInsert', 'account', 'insertItem']);
  });

  it('does not compare an invalid body, however deeply nested it is', async () => {
    const { create, called } = open();
    const body = `{"name":"Chair","category":99,"metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const { status } = await create(gatewayEvent({ body, ...key }));
    expect([status, called]).toEqual([422, ['account', 'currentAccount']]);
  });
});

describe('rejecting a create', () => {
  it('checks in this order: caller, permission, media type, size, JSON, fields', async () => {
    const bad = { body: `[${'"'.repeat(300_000)}`, headers: { 'Content-Type': 'text/plain' }, permissions: [] as [] };
    const { create } = open();
    const nobody = { ...gatewayEvent(bad), requestContext: {} };
    const statuses = [
      await create(nobody),
      await create(gatewayEvent(bad)),
      await create(gatewayEvent({ ...bad, permissions: ['catalog:edit'] })),
      await create(gatewayEvent({ body: bad.body })),
      await create(gatewayEvent({ body: '[' })),
      await create(gatewayEvent({ body: '{}' })),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 403, 415, 413, 400, 422]);
  });

  it('returns 503 with retry-after if the store is busy', async () => {
    const { store } = fakeStore();
    const cause = new Error('throttled');
    const { create, observed } = handlersOf(() => ({
      ...store,
      insertItem: () => Promise.reject(new CatalogError('SERVICE_UNAVAILABLE', { cause })),
    }));
    expect(await create(eventOf({ name: 'Chair' }))).toEqual({
      status: 503,
      headers: { ...headers, 'retry-after': '1' },
      body: { error: { message: 'The service is busy. Try again shortly.', code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(observed).toMatchObject([{ operation: 'createItem', account: 'acme', status: 503, cause }]);
  });

  it('does not reveal the message of a defect', async () => {
    const { store } = fakeStore();
    const failing = { ...store, account: () => Promise.reject(new Error('table-1 is gone')) };
    expect(await handlersOf(() => failing).create(eventOf({ name: 'Chair' }))).toEqual({
      status: 500,
      headers,
      body: { error: { message: 'The request failed unexpectedly.', code: 'INTERNAL_ERROR' } },
    });
  });
});
