import { describe, expect, it } from 'vitest';
import { errors } from '../../../lib/item/errors.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf } from '../../support/handlers.ts';
import { memoryCatalog } from '../../support/memoryCatalog.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { sampleItem, shownSampleItem as shown } from '../../support/sampleItem.ts';

const other = { ...sampleItem, id: 8, sku: 'TB-1', pn: 'PN-2' };

function open() {
  const memory = memoryCatalog(sampleAccount);
  memory.items.set(sampleItem.id, sampleItem).set(other.id, other);
  return { ...memory, ...handlersOf(memory.catalog) };
}

const eventOf = (body: JsonObject, parts = {}) => gatewayEvent({ body: JSON.stringify(body), id: '7', ...parts });

describe('updating an item', () => {
  it.each([
    ['a name', { name: 'Table' }, { name: 'Table' }],
    ['the type, keeping the unit (spec 4.2 rule 1)', { type: 'product' }, { type: 'product' }],
    [
      'zero and false (spec 4.2 rule 2)',
      { value: 0, qty: 0, cost: 0, tax: 0, active: 0 },
      { value: 0, qty: 0, cost: 0, tax: 0 },
    ],
    [
      'null (spec 4.2 rule 3)',
      { category: null, description: null, tag: null, sku: null, pn: null },
      { category: null, category_name: null, description: null, tag: null, sku: null, pn: null },
    ],
    ['empty identifiers (spec 4.2 rule 3)', { sku: '', pn: '' }, { sku: null, pn: null }],
    ['empty texts, which are values', { description: '', tag: '' }, { description: '', tag: '' }],
    ['a quantity in the stored unit', { qty: 1.23456 }, { qty: 1.235 }],
    ['a quantity with its unit', { qty: 1.23456, unit: 'hour' }, { qty: 1.23, unit: 'hour' }],
    ['a unit alone, keeping the quantity', { unit: 'un' }, { unit: 'un' }],
    [
      'custom fields (spec 2.2)',
      { metadata: { colour: null, x: [null] } },
      { metadata: { size: { w: 40 }, x: [null] } },
    ],
    ['null metadata (spec 2.2 rule 3)', { metadata: null }, {}],
    ['its own identifiers, decomposed or with white space', { sku: ' CH-1', pn: 'PN-1' }, {}],
    ['another item’s part number as its sku', { sku: 'PN-2' }, { sku: 'PN-2' }],
    ['a field together with ignored ones', { name: 'Table', id: 9, create_date: 'x', colour: 1 }, { name: 'Table' }],
  ])('with %s returns 200 with the full updated item', async (_case, body, changed) => {
    expect(await open().update(eventOf(body))).toEqual({
      status: 200,
      headers: { ...headers, etag: '"4"' },
      body: { data: { ...shown, ...changed } },
    });
  });

  it('is observed with its caller and stats', async () => {
    const { update, observed } = open();
    await update(eventOf({ name: 'Table' }));
    expect(observed).toEqual([
      {
        requestId: 'request-1',
        operation: 'updateItem',
        account: 'acme',
        status: 200,
        code: undefined,
        replayed: false,
        duration: 0,
        stats: { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } },
        cause: undefined,
      },
    ]);
  });

  it('omits cost for a caller who may not see it', async () => {
    const { cost: _, ...others } = shown;
    const { body } = await open().update(eventOf({ metadata: {} }, { permissions: ['catalog:edit'] }));
    expect(body).toEqual({ data: others });
  });

  it('reads the account again if the cached one does not have the category', async () => {
    const newer = new Map([...sampleAccount.categories, [9, { name: 'New', archived: false }]]);
    const { catalog, items, asked } = memoryCatalog(sampleAccount, { ...sampleAccount, categories: newer });
    items.set(7, { ...sampleItem, category: 9 });
    const { body } = await handlersOf(catalog).update(eventOf({ name: 'Table' }));
    expect(body).toEqual({ data: { ...shown, name: 'Table', category: 9, category_name: 'New' } });
    expect(asked).toEqual(['account', 'modifyItem', 'currentAccount']);
  });
});

describe('an item in an archived category', () => {
  const stored = { ...sampleItem, category: 4 };
  const shownArchived = { ...shown, category: 4, category_name: 'Old' };

  it('can be saved by a form that sends back everything', async () => {
    const { update, items } = open();
    items.set(7, stored);
    expect(await update(eventOf({ ...shownArchived, name: 'Table' }))).toMatchObject({
      status: 200,
      body: { data: { ...shownArchived, name: 'Table' } },
    });
  });

  it.each([
    ['an item in another category', '7'],
    ['a missing item', '99'],
  ])('is the only one that may have it: rejects it for %s', async (_case, id) => {
    const { update, items, asked } = open();
    expect(await update(eventOf({ name: 'Table', category: 4 }, { id }))).toMatchObject({
      status: 422,
      body: { error: { message: 'Invalid field: category.', code: 'VALIDATION_FAILED' } },
    });
    expect(items.get(7)).toEqual(sampleItem);
    expect(asked).toEqual(['account', 'modifyItem']);
  });
});

describe('If-Match', () => {
  it.each(['"3"', '*', '"1", "3"', 'W/"9", "3"'])('%s allows changing an item at revision 3', async (value) => {
    const { status } = await open().update(eventOf({ name: 'Table' }, { headers: { 'If-Match': value } }));
    expect(status).toBe(200);
  });

  it.each(['"2"', '"4"', 'W/"3"', '"abc"', '"03"'])('%s does not allow it, and nothing changes', async (value) => {
    const { update, items } = open();
    expect(await update(eventOf({ name: 'Table' }, { headers: { 'If-Match': value } }))).toEqual({
      status: 412,
      headers: { ...headers, etag: '"3"' },
      body: {
        error: { message: 'The item is no longer at the revision named in If-Match.', code: 'PRECONDITION_FAILED' },
        data: shown,
      },
    });
    expect(items.get(7)).toEqual(sampleItem);
  });

  it('that does not match returns the item without cost to a caller who may not see it', async () => {
    const { cost: _, ...others } = shown;
    const parts = { headers: { 'If-Match': '"2"' }, permissions: ['catalog:edit'] };
    const { body } = await open().update(eventOf({ name: 'Table' }, parts));
    expect(body).toMatchObject({ data: others });
    expect(body).not.toHaveProperty('data.cost');
  });

  it.each(['3', '', '"3', '*,*'])('%j is rejected, and nothing changes', async (value) => {
    const { update, items } = open();
    expect(await update(eventOf({ name: 'Table' }, { headers: { 'If-Match': value } }))).toEqual({
      status: 400,
      headers,
      body: { error: { message: 'Invalid header: If-Match.', code: 'INVALID_REQUEST' } },
    });
    expect(items.get(7)).toEqual(sampleItem);
  });
});

describe('rejecting an update', () => {
  const notFound = { message: errors.ITEM_NOT_FOUND.message, code: 'ITEM_NOT_FOUND' };
  const nothing = { message: errors.NOTHING_TO_UPDATE.message, code: 'NOTHING_TO_UPDATE' };
  const taken = (field: string) => ({
    message: errors.ITEM_ALREADY_EXISTS.message,
    code: 'ITEM_ALREADY_EXISTS',
    fields: [{ field, reason: 'is used by item 8', item: 8 }],
  });

  it.each([
    ['an empty body', gatewayEvent({ id: '7' }), 400, nothing],
    ['an empty object (spec 4.2 rule 7)', eventOf({}), 400, nothing],
    ['response-only and unknown fields', eventOf({ id: 1, create_date: 'x', colour: 1 }), 400, nothing],
    ['an id that no item has', eventOf({ name: 'a' }, { id: '99' }), 404, notFound],
    ['an id that cannot exist', eventOf({ name: 'a' }, { id: '07' }), 404, notFound],
    ['no id', gatewayEvent({ body: '{"name":"a"}' }), 404, notFound],
    ['a taken sku', eventOf({ name: 'a', sku: 'TB-1' }), 409, taken('sku')],
    ['a taken part number with blanks', eventOf({ pn: ' PN-2 ' }), 409, taken('pn')],
    [
      'null for a name (spec 4.2 rule 4)',
      eventOf({ name: null }),
      422,
      {
        message: 'Invalid field: name.',
        code: 'VALIDATION_FAILED',
        fields: [
          {
            field: 'name',
            reason: `must be a text of ${limits.name.min} to ${limits.name.max} characters, at least one of them visible, and without control characters`,
          },
        ],
      },
    ],
  ])('for %s changes nothing and says why', async (_case, event, status, error) => {
    const { update, items } = open();
    expect(await update(event)).toEqual({ status, headers, body: { error } });
    expect([...items.values()]).toEqual([sampleItem, other]);
  });

  it('returns exactly the same bytes for a malformed id as for a missing item', async () => {
    const { update } = open();
    const [missing, ...malformed] = await Promise.all(
      ['99', 'abc', '0', '-1', '1.5', '9007199254740993', '__proto__', '\0'].map((id) =>
        update(eventOf({ name: 'a' }, { id })),
      ),
    );
    for (const answer of malformed) expect(JSON.stringify(answer)).toBe(JSON.stringify(missing));
  });

  it('checks in this order: caller, permission, id, media type, size, JSON, fields, item, identifiers, revision', async () => {
    const { update } = open();
    const body = `[${'"'.repeat(300_000)}`;
    const bad = { body, id: '0', headers: { 'Content-Type': 'text/plain' }, permissions: [] as [] };
    const outdated = { headers: { 'If-Match': '"1"' } };
    const statuses = [
      await update({ ...gatewayEvent(bad), requestContext: {} }),
      await update(gatewayEvent(bad)),
      await update(gatewayEvent({ ...bad, permissions: ['catalog:edit'] })),
      await update(gatewayEvent({ body, id: '99', headers: bad.headers })),
      await update(gatewayEvent({ body, id: '99' })),
      await update(gatewayEvent({ body: '[', id: '99' })),
      await update(eventOf({}, { id: '99', ...outdated })),
      await update(eventOf({ name: '', sku: 'TB-1' }, { id: '99', ...outdated })),
      await update(eventOf({ name: 'a', sku: 'TB-1' }, { id: '99', ...outdated })),
      await update(eventOf({ name: 'a', sku: 'TB-1' }, outdated)),
      await update(eventOf({ name: 'a' }, outdated)),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 403, 404, 415, 413, 400, 400, 422, 404, 409, 412]);
  });
});
