import { describe, expect, it } from 'vitest';
import { errors } from '../../../lib/item/errors.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { fakeStore } from '../../support/fakeStore.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { handlersOf } from '../../support/handlers.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { sampleItem, shownSampleItem as shown } from '../../support/sampleItem.ts';

function open(item = sampleItem, current = sampleAccount) {
  const fake = fakeStore([item], sampleAccount, current);
  return { ...fake, ...handlersOf(fake.openStore) };
}

const eventOf = (body: JsonObject, parts = {}) => gatewayEvent({ body: JSON.stringify(body), id: '7', ...parts });

describe('updating an item', () => {
  it('returns 200 with the full updated item and its ETag', async () => {
    expect(await open().update(eventOf({ name: 'Table', metadata: { colour: null } }))).toEqual({
      status: 200,
      headers: { ...headers, etag: '"4"' },
      body: { data: { ...shown, revision: 4, name: 'Table', metadata: { size: { w: 40 } } } },
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

  it('reads the account again if the cached one does not have the category', async () => {
    const newer = new Map([...sampleAccount.categories, [9, { name: 'New', archived: false }]]);
    const { update, called } = open({ ...sampleItem, category: 9 }, { ...sampleAccount, categories: newer });
    const { body } = await update(eventOf({ name: 'Table' }));
    expect(body).toEqual({ data: { ...shown, revision: 4, name: 'Table', category: 9, category_name: 'New' } });
    expect(called).toEqual(['account', 'modifyItem', 'currentAccount']);
  });
});

describe('rejecting an update', () => {
  it('at another revision than If-Match returns 412 with the item as this caller may see it, and its ETag', async () => {
    const { update, items } = open();
    const { cost: _, ...others } = shown;
    const parts = { headers: { 'If-Match': '"2"' }, permissions: ['catalog:edit'] };
    expect(await update(eventOf({ name: 'Table' }, parts))).toEqual({
      status: 412,
      headers: { ...headers, etag: '"3"' },
      body: {
        error: { message: errors.PRECONDITION_FAILED.message, code: 'PRECONDITION_FAILED' },
        data: others,
      },
    });
    expect(items.get(7)).toEqual(sampleItem);
  });

  it('checks in this order: caller, permission, id, media type, size, JSON, fields, item, revision', async () => {
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
      await update(eventOf({ name: '' }, { id: '99', ...outdated })),
      await update(eventOf({ name: 'a' }, { id: '99', ...outdated })),
      await update(eventOf({ name: 'a' }, outdated)),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 403, 404, 415, 413, 400, 400, 422, 404, 412]);
  });
});
