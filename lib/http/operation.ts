import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Reads } from './middleware.ts';
import { methodsOf, type Operation, operations } from './operations.ts';
import { type Answer, type ResponderOptions, responder } from './responder.ts';
import { type StartDependencies, type StartedRequest, startRequest } from './startRequest.ts';

export interface OperationDependencies<Store> extends StartDependencies<Store>, ResponderOptions {}

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * A middy handler in the making, with the types of what its middlewares hand on. middy's own types add these up as well,
 * but what they make of the result takes the context of its middlewares, and so is no handler of Lambda's.
 */
interface OperationFrame<Members> {
  use<More extends object>(middleware: Reads<More>): OperationFrame<Members & More>;
  handler(respond: (event: APIGatewayProxyEvent, context: Members) => Promise<Answer>): ProxyHandler;
}

/** What all operations share. What else an operation reads of a request it adds in the order in which that is checked. */
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
