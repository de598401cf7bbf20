import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { CatalogReader, OpenStore } from '../../lib/catalog/catalogReader.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import { getCatalogHandler } from '../../lib/http/getCatalogHandler.ts';
import { getItemHandler } from '../../lib/http/getItemHandler.ts';
import { listItemsHandler } from '../../lib/http/listItemsHandler.ts';
import type { Observation } from '../../lib/http/observation.ts';
import type { ProxyHandler } from '../../lib/http/operation.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import type { CatalogStore } from './dynamoCatalogStore.ts';
import { arrivalTime } from './gatewayEvent.ts';
import { lambdaContext } from './proxyEvent.ts';

/** The handlers that write, for a catalog, and the observations of their requests. Events may be anything. */
export function handlersOf(openStore: OpenStore<CatalogStore>) {
  const { dependencies, observed } = dependenciesOf(openStore);
  return {
    create: answering(createItemHandler(dependencies)),
    update: answering(updateItemHandler(dependencies)),
    observed,
  };
}

/** Like {@link handlersOf}, for the handlers that only read. */
export function readersOf(openStore: OpenStore<CatalogReader>) {
  const { dependencies, observed } = dependenciesOf(openStore);
  return {
    get: answering(getItemHandler(dependencies)),
    list: answering(listItemsHandler(dependencies)),
    catalog: answering(getCatalogHandler(dependencies)),
    observed,
  };
}

function dependenciesOf<Store>(openStore: OpenStore<Store>) {
  const observed: Observation[] = [];
  let calls = 0;
  const dependencies = {
    openStore,
    now: () => arrivalTime,
    newWriteId: () => `write-${++calls}`,
    observe: (observation: Observation) => observed.push(observation),
    corsOrigins: ['*'],
  };
  return { dependencies, observed };
}

const answering = (handler: ProxyHandler) => async (event: unknown) =>
  parsed(await handler(event as APIGatewayProxyEvent, lambdaContext()));

/** A response with its body as JSON. */
const parsed = ({ statusCode, headers, body, ...others }: APIGatewayProxyResult) => ({
  status: statusCode,
  headers,
  body: JSON.parse(body) as unknown,
  ...others,
});
