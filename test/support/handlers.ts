import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { CatalogStore } from '../../lib/catalog/catalogStore.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import type { Observation } from '../../lib/http/observation.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { arrivalTime } from './gatewayEvent.ts';
import { lambdaContext } from './proxyEvent.ts';

/** The two handlers over a catalog, and what was observed of their requests. Events may be anything. */
export function handlersOf(catalog: CatalogStore) {
  const observed: Observation[] = [];
  let calls = 0;
  const dependencies = {
    store: catalog,
    now: () => arrivalTime,
    newWriteId: () => `write-${++calls}`,
    observe: (observation: Observation) => observed.push(observation),
    corsOrigins: ['*'],
  };
  const createItem = createItemHandler(dependencies);
  const updateItem = updateItemHandler(dependencies);
  return {
    create: async (event: unknown) => parsed(await createItem(event as APIGatewayProxyEvent, lambdaContext())),
    update: async (event: unknown) => parsed(await updateItem(event as APIGatewayProxyEvent, lambdaContext())),
    observed,
  };
}

/** A response with its body as JSON. */
const parsed = ({ statusCode, headers, body, ...others }: APIGatewayProxyResult) => ({
  status: statusCode,
  headers,
  body: JSON.parse(body) as unknown,
  ...others,
});
