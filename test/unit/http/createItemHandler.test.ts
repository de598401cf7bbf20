import { expect, it } from 'vitest';
import type { ItemCreator } from '../../../lib/catalog/catalogStore.ts';
import { createItemHandler } from '../../../lib/http/createItemHandler.ts';
import type { Observation } from '../../../lib/http/observation.ts';
import { responseHeaders as headers } from '../../support/api/responseHeaders.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem, shownSampleItem } from '../../support/items/sampleItem.ts';
import { arrivalTime, gatewayEvent } from '../../support/lambda/gatewayEvent.ts';
import { lambdaContext } from '../../support/lambda/proxyEvent.ts';

const store: ItemCreator = {
  account: async () => sampleAccount,
  currentAccount: async () => sampleAccount,
  prepareInsert: async () => undefined,
  findCreated: async () => undefined,
  insertItem: async () => ({ item: sampleItem, replayed: true }),
};

/** Sends a create, and returns the response with the observations. */
async function create(event = gatewayEvent({ body: '{"name":"Chair"}' })) {
  const observed: Observation[] = [];
  const observe = (observation: Observation) => observed.push(observation);
  const dependencies = { openStore: () => store, now: () => arrivalTime, newWriteId: () => 'write-1', observe };
  const { body, ...response } = await createItemHandler({ ...dependencies, corsOrigins: ['*'] })(
    event,
    lambdaContext(),
  );
  return { response: { ...response, body: JSON.parse(body) }, observed };
}

it('a create returns 201 with the item, its Location, its ETag (spec 4.1) and whether it is a replay, and is observed', async () => {
  const { response, observed } = await create();
  expect(response).toEqual({
    statusCode: 201,
    headers: { ...headers, etag: '"3"', location: '/api/v1/api/v1/items/7', 'idempotency-replayed': 'true' },
    body: { data: shownSampleItem },
  });
  const stats = { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } };
  expect(observed).toMatchObject([{ operation: 'createItem', account: 'acme', status: 201, replayed: true, stats }]);
});

it.each([
  ['the stage of API Gateway’s own address', '/api/v1/api/v1/items', '/live/api/v1/api/v1/items', '/live'],
  ['the stage, also before a trailing slash', '/api/v1/api/v1/items/', '/live/api/v1/api/v1/items/', '/live'],
  ['the base path of a domain', '/catalog/api/v1/api/v1/items', '/catalog/api/v1/api/v1/items', '/catalog'],
  ['nothing, at the root of a domain', '/api/v1/api/v1/items', '/api/v1/api/v1/items', ''],
])('Location begins with the base path of the request: %s', async (_case, path, called, before) => {
  const event = gatewayEvent({ body: '{"name":"Chair"}' });
  Object.assign(event, { path });
  Object.assign(event.requestContext, { path: called });
  const { headers: answered } = (await create(event)).response;
  expect(answered).toMatchObject({ location: `${before}/api/v1/api/v1/items/7` });
});
