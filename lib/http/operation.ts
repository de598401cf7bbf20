import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { OpenStore } from '../catalog/catalogReader.ts';
import type { EpochMs } from '../item/epoch.ts';
import { type CatalogError, catalogErrorOf } from '../item/errors.ts';
import { corsHeaders } from './cors.ts';
import { commonHeaders, headersOfStatus, headerValues, type ResponseHeaders } from './headers.ts';
import type { Observation, Observe } from './observation.ts';
import { methodsOf, type Operation, operations, successStatus } from './operations.ts';
import { presentError } from './presenter.ts';
import { type StartedRequest, startRequest } from './startRequest.ts';

export interface OperationDependencies<Store> {
  readonly openStore: OpenStore<Store>;
  readonly now: () => EpochMs;
  /** Returns an id that is unique to this request. */
  readonly newWriteId: () => string;
  readonly observe: Observe;
  readonly corsOrigins: readonly string[];
}

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** What an operation answers. The status of a success is that of the operation. */
interface Answer {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  readonly replayed?: boolean;
  /** What else is recorded of the request. */
  readonly observed?: Partial<Observation>;
}

const replayedHeader: ResponseHeaders = { 'idempotency-replayed': 'true' };

/**
 * What all operations share: the check of caller and permission, responses in the API's format, and the observation.
 * @param respond any error it throws becomes an error response, which reveals nothing of one that was not expected
 */
export const operationHandler =
  <Store>(
    operation: Operation,
    { openStore, now, newWriteId, observe, corsOrigins }: OperationDependencies<Store>,
    respond: (event: APIGatewayProxyEvent, request: StartedRequest & { store: Store }) => Promise<Answer>,
  ): ProxyHandler =>
  async (event, lambda) => {
    const started = now();
    let request: StartedRequest | undefined;
    let failure: CatalogError | undefined;
    let answer: Answer & { readonly status: number };
    try {
      request = startRequest(event, lambda, operations[operation].permission, started, newWriteId());
      const success = await respond(event, { ...request, store: openStore(request.context) });
      answer = { status: successStatus(operation), ...success };
    } catch (error) {
      failure = catalogErrorOf(error);
      answer = presentError(failure, request?.caller);
    }
    const { status, headers, body, replayed = false, observed } = answer;
    // The gateway's request id, which is also in its access log. Without a gateway, the function's own.
    const requestId = event?.requestContext?.requestId ?? lambda.awsRequestId;
    observe({
      requestId,
      operation,
      account: request?.context.account,
      status,
      code: failure?.code,
      replayed,
      duration: now() - started,
      stats: request?.context.stats,
      cause: failure?.cause,
      ...observed,
    });
    const [origin] = headerValues(event ?? {}, 'origin');
    const ofRequest = { 'x-request-id': requestId, ...corsHeaders(corsOrigins, origin), ...headersOfStatus[status] };
    return {
      statusCode: status,
      headers: { ...commonHeaders, ...ofRequest, ...headers, ...(replayed && replayedHeader) },
      body: JSON.stringify(body),
    };
  };

/** Serves several operations with one function. */
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
