import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CatalogReader, ItemWriter } from '../../../lib/catalog/catalogStore.ts';
import { createItemHandler } from '../../../lib/http/createItemHandler.ts';
import { getCatalogHandler } from '../../../lib/http/getCatalogHandler.ts';
import { getItemHandler } from '../../../lib/http/getItemHandler.ts';
import { listItemsHandler } from '../../../lib/http/listItemsHandler.ts';
import { updateItemHandler } from '../../../lib/http/updateItemHandler.ts';
import { json } from '../../support/items/arbitraries.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';
import { arrivalTime, gatewayEvent } from '../../support/lambda/gatewayEvent.ts';
import { lambdaContext } from '../../support/lambda/proxyEvent.ts';

const store: CatalogReader & ItemWriter = {
  account: async () => sampleAccount,
  currentAccount: async () => sampleAccount,
  findItem: async () => sampleItem,
  findItems: async () => new Map(),
  findByIdentifier: async () => undefined,
  listPage: async () => ({ items: [], next: undefined }),
  findMatch: async () => undefined,
  findCreated: async () => undefined,
  prepareInsert: async () => undefined,
  insertItem: async () => ({ item: sampleItem, replayed: false }),
  modifyItem: async () => ({ item: sampleItem, isOutdated: false, replayed: false }),
};
const dependencies = {
  openStore: () => store,
  now: () => arrivalTime,
  newWriteId: () => 'write-1',
  observe: () => undefined,
  corsOrigins: ['*'],
};
const handlers = [
  getItemHandler,
  listItemsHandler,
  getCatalogHandler,
  // Their bodies are fuzzed, on a table.
  createItemHandler,
  updateItemHandler,
].map((handler) => handler(dependencies));

it('operations return a documented status whatever the parameters, path, headers, caller and body are', async () => {
  const part = fc.option(json, { nil: undefined });
  const parts = {
    queryStringParameters: part,
    multiValueQueryStringParameters: part,
    pathParameters: part,
    headers: part,
    multiValueHeaders: part,
    requestContext: part,
    body: part,
  };
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.record(parts, { requiredKeys: [] }), async (changed) => {
      for (const handler of handlers) {
        const event = structuredClone({ ...gatewayEvent({ id: '7', body: '{"name":"Desk"}' }), ...changed });
        const { statusCode } = await handler(event as ReturnType<typeof gatewayEvent>, lambdaContext());
        expect([200, 201, 400, 401, 404, 415, 422]).toContain(statusCode);
        seen.add(statusCode);
      }
    }),
  );
  expect(seen.size).toBe(7);
});
