import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { OpenStore } from '../catalog/catalogReader.ts';
import type { EpochMs } from '../item/epoch.ts';
import type { Observe } from './observation.ts';
import { type Operation, operations, successStatus } from './operations.ts';
import { proxyResult, responder, type SuccessResponse } from './responder.ts';
import { type HandlerContext, type StartedRequest, startRequest } from './startRequest.ts';

export interface OperationDependencies<Store> {
  readonly openStore: OpenStore<Store>;
  readonly now: () => EpochMs;
  /** Returns an id that is unique to this request. */
  readonly newWriteId: () => string;
  /** Called once per request, for the log and the metrics. */
  readonly observe: Observe;
  /** Origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
}

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * Wraps an operation in the middleware that all operations share: responses and errors in the API's format,
 * observation, and the check of caller and permission.
 * @param respond handles one request; any error it throws becomes an error response
 */
export const operationHandler = <Store>(
  operation: Operation,
  { openStore, now, newWriteId, observe, corsOrigins }: OperationDependencies<Store>,
  respond: (event: APIGatewayProxyEvent, request: StartedRequest & { store: Store }) => Promise<SuccessResponse>,
): ProxyHandler =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, HandlerContext>({ timeoutEarlyInMillis: 0 })
    .use(responder({ operation, corsOrigins, observe, now }))
    .use(startRequest({ permission: operations[operation].permission, now, newWriteId }))
    .handler(async (event, handlerContext: HandlerContext) => {
      const { request } = handlerContext;
      if (request === undefined) throw new Error('The request was not started');
      const response = await respond(event, { ...request, store: openStore(request.context) });
      handlerContext.observed = response.observed;
      return proxyResult({ status: successStatus(operation), ...response });
    });

/** Serves several operations with one function. */
export function servedTogether(handlers: Partial<Record<Operation, ProxyHandler>>): ProxyHandler {
  const routeOf = (method: string, path: string): string => `${method} ${path}`;
  const byRoute = new Map<string, ProxyHandler>();
  for (const [name, handler] of Object.entries(handlers)) {
    const { method, path } = operations[name as Operation];
    byRoute.set(routeOf(method, path), handler);
    // API Gateway drops the body of a response to HEAD.
    if (method === 'GET') byRoute.set(routeOf('HEAD', path), handler);
  }
  return async (event, context) => {
    const handler = byRoute.get(routeOf(event.httpMethod, event.resource));
    if (handler === undefined) throw new Error('The function does not serve this route');
    return handler(event, context);
  };
}
