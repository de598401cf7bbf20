import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import type { ItemCreator } from '../../../lib/catalog/catalogStore.ts';
import { createItemHandler } from '../../../lib/http/createItemHandler.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';
import { arrivalTime, gatewayEvent, lambdaContext } from '../../support/lambda/gatewayEvent.ts';

const store: ItemCreator = {
  account: async () => sampleAccount,
  currentAccount: async () => sampleAccount,
  accountWith: async () => sampleAccount,
  prepareInsert: async () => undefined,
  findCreated: async () => undefined,
  insertItem: async () => ({ item: sampleItem, replayed: true }),
};

/** The Location of the item that a create has made. */
async function locationAfter(event: APIGatewayProxyEvent) {
  const dependencies = { openStore: () => store, now: () => arrivalTime, newWriteId: () => 'write-1' };
  const handler = createItemHandler({ ...dependencies, observe: () => undefined, corsOrigins: ['*'] });
  return (await handler(event, lambdaContext())).headers?.['location'];
}

it.each([
  ['the stage of API Gateway’s own address', '/api/v1/api/v1/items', '/live/api/v1/api/v1/items', '/live'],
  ['the stage, also before a trailing slash', '/api/v1/api/v1/items/', '/live/api/v1/api/v1/items/', '/live'],
  ['the base path of a domain', '/catalog/api/v1/api/v1/items', '/catalog/api/v1/api/v1/items', '/catalog'],
  [
    'a base path like the route',
    '/api/v1/api/v1/items',
    '/api/v1/api/v1/items/api/v1/api/v1/items',
    '/api/v1/api/v1/items',
  ],
  ['nothing, at the root of a domain', '/api/v1/api/v1/items', '/api/v1/api/v1/items', ''],
])('Location begins with the base path of the request: %s', async (_case, path, called, before) => {
  const event = gatewayEvent({ body: '{"name":"Chair"}' });
  Object.assign(event, { path });
  Object.assign(event.requestContext, { path: called });
  expect(await locationAfter(event)).toBe(`${before}/api/v1/api/v1/items/7`);
});
