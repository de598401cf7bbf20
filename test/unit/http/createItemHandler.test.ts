import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../lib/catalog/requestContext.ts';
import type { Account } from '../../../lib/item/account.ts';
import { CatalogError, errors } from '../../../lib/item/errors.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { shownItem } from '../../support/apiResponses.ts';
import { arrivalTime, gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf } from '../../support/handlers.ts';
import { creationTime, memoryCatalog } from '../../support/memoryCatalog.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';

const chair = { id: 1, ...shownItem({ tax: sampleAccount.defaultTax }), create_date: '2026-11-20T23:10:00+00:00' };
const eventOf = (body: JsonObject, parts = {}) => gatewayEvent({ body: JSON.stringify(body), ...parts });

function open(account: Account = sampleAccount, current: Account = account) {
  const memory = memoryCatalog(account, current);
  return { ...memory, ...handlersOf(memory.catalog) };
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

  it('shows the fields in the order of spec table 2.1', async () => {
    const { body } = await open().create(eventOf({ tag: 'a', name: 'Chair' }));
    expect(Object.keys((body as { data: object }).data)).toEqual(Object.keys(chair));
  });

  it('stores a cost sent by a caller who may not see it, but does not return it', async () => {
    const { create, items } = open();
    const { status, body } = await create(eventOf({ name: 'Chair', cost: 9 }, { permissions: ['catalog:edit'] }));
    const { cost: _, ...others } = chair;
    expect([status, body]).toEqual([201, { data: others }]);
    expect(items.get(1)?.cost).toBe(9);
  });

  it('calls the store on behalf of the caller, with a unique write id', async () => {
    const { catalog } = memoryCatalog(sampleAccount);
    const calls: RequestContext[] = [];
    const { create } = handlersOf({
      ...catalog,
      insertItem: (call, fields) => {
        calls.push(call);
        return catalog.insertItem(call, fields);
      },
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
    const { create, asked } = open(sampleAccount, newer);
    const { status, body } = await create(eventOf({ name: 'Chair', category: 9, unit: 'roll', qty: 1.25 }));
    expect([status, body]).toEqual([
      201,
      { data: { ...chair, category: 9, category_name: 'New', unit: 'roll', qty: 1.3 } },
    ]);
    expect(asked.filter((method) => method === 'insertItem')).toEqual(['insertItem']);
  });

  it('is rejected if it is still unknown, and nothing is stored', async () => {
    const { create, items, asked } = open();
    expect((await create(eventOf({ name: 'Chair', unit: 'roll' }))).body).toEqual({
      error: {
        message: 'Invalid field: unit.',
        code: 'VALIDATION_FAILED',
        fields: [{ field: 'unit', reason: 'is not a registered unit of this account' }],
      },
    });
    expect([items.size, asked]).toEqual([0, ['prepareInsert', 'account', 'currentAccount']]);
  });

  it('is the only reason to read the account again', async () => {
    const { create, asked } = open();
    await create(eventOf({ name: 'Chair', category: 2, unit: 'kg' }));
    expect(asked).not.toContain('currentAccount');
  });
});

describe('rejecting a create', () => {
  const invalid = (field: string, reason: string) => ({
    message: `Invalid field: ${field}.`,
    code: 'VALIDATION_FAILED',
    fields: [{ field, reason }],
  });

  it.each([
    ['an empty body', gatewayEvent(), 422, invalid('name', 'is required')],
    ['an empty object', eventOf({}), 422, invalid('name', 'is required')],
    [
      'a blank name',
      eventOf({ name: '  ' }),
      422,
      invalid(
        'name',
        `must be a text of ${limits.name.min} to ${limits.name.max} characters, at least one of them visible, and without control characters`,
      ),
    ],
    [
      'a type of another case',
      eventOf({ name: 'a', type: 'Product' }),
      422,
      invalid('type', 'must be product or service'),
    ],
    [
      'a text for a number',
      eventOf({ name: 'a', tax: '1' }),
      422,
      invalid('tax', `must be a number from 0 to ${limits.tax.max}`),
    ],
    [
      'a list',
      gatewayEvent({ body: '[]' }),
      400,
      { message: 'The request body is not a JSON object in UTF-8.', code: 'INVALID_JSON' },
    ],
    [
      'no permission',
      eventOf({ name: 'a' }, { permissions: ['catalog:cost:read'] }),
      403,
      { message: 'The access token does not permit this operation.', code: 'FORBIDDEN' },
    ],
  ])('for %s stores nothing and says why', async (_case, event, status, error) => {
    const { create, items } = open();
    expect(await create(event)).toEqual({ status, headers, body: { error } });
    expect(items.size).toBe(0);
  });

  it.each([
    [{ sku: 'A' }, ['sku']],
    [{ sku: ' A ' }, ['sku']],
    [{ pn: 'É' }, ['pn']],
    [{ pn: 'E\u0301' }, ['pn']],
    [{ sku: 'free', pn: 'É' }, ['pn']],
    [{ pn: 'É', sku: 'A' }, ['sku', 'pn']],
  ])('for taken identifiers: %j (spec 4.1 rule 1)', async (codes, taken) => {
    const { create, items } = open();
    await create(eventOf({ name: 'Chair', sku: 'A', pn: 'É' }));
    const before = new Map(items);
    const fields = taken.map((field) => ({ field, reason: 'is used by item 1', item: 1 }));
    expect(await create(eventOf({ name: 'Table', ...codes }))).toEqual({
      status: 409,
      headers,
      body: { error: { message: errors.ITEM_ALREADY_EXISTS.message, code: 'ITEM_ALREADY_EXISTS', fields } },
    });
    expect(items).toEqual(before);
  });

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
    const { catalog } = memoryCatalog(sampleAccount);
    const cause = new Error('throttled');
    const { create, observed } = handlersOf({
      ...catalog,
      insertItem: () => Promise.reject(new CatalogError('SERVICE_UNAVAILABLE', { cause })),
    });
    expect(await create(eventOf({ name: 'Chair' }))).toEqual({
      status: 503,
      headers: { ...headers, 'retry-after': '1' },
      body: { error: { message: 'The service is busy. Try again shortly.', code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(observed).toMatchObject([{ operation: 'createItem', account: 'acme', status: 503, cause }]);
  });

  it('does not reveal the message of a defect', async () => {
    const { catalog } = memoryCatalog(sampleAccount);
    const failing = { ...catalog, account: () => Promise.reject(new Error('table-1 is gone')) };
    expect(await handlersOf(failing).create(eventOf({ name: 'Chair' }))).toEqual({
      status: 500,
      headers,
      body: { error: { message: 'The request failed unexpectedly.', code: 'INTERNAL_ERROR' } },
    });
  });
});
