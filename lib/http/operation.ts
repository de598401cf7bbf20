import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Permission } from '../access/permissions.ts';
import type { CatalogStore } from '../catalog/catalogStore.ts';
import type { Observe } from './observation.ts';
import type { HandlerResponse } from './responder.ts';
import { proxyResult, responder } from './responder.ts';
import type { Operation } from './routes.ts';
import type { StartedRequest } from './startRequest.ts';
import { startedRequest, startRequest } from './startRequest.ts';

/** What the handlers of all operations depend on. */
export interface OperationDependencies<Store = CatalogStore> {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A text that no other request gets. */
  readonly newWriteId: () => string;
  /** Called once for each request, for the log and the metrics. */
  readonly observe: Observe;
  /** The origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
}

/** A handler as API Gateway's proxy integration calls it. */
export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** In place of a permission: whoever has a valid token of the account. */
export const anyCaller = null;

/**
 * The handler of an operation, with what surrounds every one: responses and errors in the API's shape, observation, and
 * the check of caller and permission.
 * @param permission what the caller must have, or {@link anyCaller}
 * @param respond serves one request; what it throws is answered as an error
 */
export const operationHandler = (
  operation: Operation,
  permission: Permission | typeof anyCaller,
  { now, newWriteId, observe, corsOrigins }: OperationDependencies<unknown>,
  respond: (event: APIGatewayProxyEvent, request: StartedRequest) => Promise<HandlerResponse>,
): ProxyHandler =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: 0 })
    .use(responder({ operation, corsOrigins, observe, now }))
    .use(startRequest({ permission, now, newWriteId }))
    .handler(async (event, context) => {
      const request = startedRequest(context);
      if (request === undefined) throw new Error('The request was not started');
      return proxyResult(await respond(event, request));
    });
