import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Reads } from './middleware.ts';
import { methodsOf, type Operation, operations } from './operations.ts';
import { type Answer, type ResponderOptions, responder } from './responder.ts';
import { type StartDependencies, type StartedRequest, startRequest } from './startRequest.ts';

export interface OperationDependencies<Store> extends StartDependencies<Store>, ResponderOptions {}

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * A middy handler under construction, with the types of what its middlewares pass on. middy's own types add these up, too,
 * but their handler requires the middlewares' context, so it lacks Lambda's signature.
 */
interface OperationFrame<Members> {
  use<More extends object>(middleware: Reads<More>): OperationFrame<Members & More>;
  handler(respond: (event: APIGatewayProxyEvent, context: Members) => Promise<Answer>): ProxyHandler;
}

/** The middlewares that all operations share. Each operation adds its own in the order of the checks. */
export const operation = <Store>(
  name: Operation,
  dependencies: OperationDependencies<Store>,
): OperationFrame<StartedRequest<Store>> =>
  // Requests to the database have deadlines of their own.
  middy<APIGatewayProxyEvent, unknown>({ timeoutEarlyInMillis: 0 })
    .use(responder(name, dependencies))
    .use(startRequest(operations[name].permission, dependencies)) as unknown as OperationFrame<StartedRequest<Store>>;

export function servedTogether(handlers: Partial<Record<Operation, ProxyHandler>>): ProxyHandler {
  const routeOf = (method: string, path: string): string => `${method} ${path}`;
  const byRoute = new Map<string, ProxyHandler>();
  for (const [name, handler] of Object.entries(handlers) as [Operation, ProxyHandler][])
    for (const method of methodsOf(name)) byRoute.set(routeOf(method, operations[name].path), handler);
  return async (event, context) => {
    const handler = byRoute.get(routeOf(event.httpMethod, event.resource));
    if (handler === undefined) throw new Error('The function does not serve this route');
    return handler(event, context);
  };
}
