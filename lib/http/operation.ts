import middy, { type MiddlewareObj, type Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Caller, fromAuthorizerContext, hasPermission, type Permission } from '../access/caller.ts';
import type { OpenStore } from '../catalog/catalogStore.ts';
import { deadlineOf, type RequestContext, timedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError, catalogErrorOf } from '../item/errors.ts';
import { commonHeaders, corsHeaders, headersOfStatus, headerValues, type ResponseHeaders } from './headers.ts';
import type { Observation, Observe } from './observation.ts';
import { methodsOf, type Operation, operations, successStatus } from './operations.ts';
import { presentError } from './presenter.ts';
import { type Reads, reads } from './requestParts.ts';

/** A success, which has the status of its operation. */
interface Answer {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  readonly replayed?: boolean;
  /** Further parts of the observation. */
  readonly observed?: Partial<Observation>;
}

export interface OperationDependencies<Store> {
  readonly openStore: OpenStore<Store>;
  readonly now: () => EpochMs;
  readonly newWriteId: () => string;
  readonly observe: Observe;
  readonly corsOrigins: readonly string[];
}

/** A request that is refused before it is started has neither. */
interface RespondingContext extends Context {
  caller?: Caller | undefined;
  request?: RequestContext | undefined;
}

type Response = Answer | APIGatewayProxyResult;
type Responding = Request<APIGatewayProxyEvent, Response, Error, RespondingContext, { started: EpochMs }>;

/** The outermost middleware: turns each answer and error into a response that hides unexpected errors, and observes it. */
function responder(operation: Operation, { now, observe, corsOrigins }: OperationDependencies<unknown>) {
  const respond = (request: Responding, status: number, answer: Answer, failure?: CatalogError): void => {
    const { event, context, internal } = request;
    // The gateway's request id, which is also in its access log. Without a gateway, the function's own.
    const requestId = event?.requestContext?.requestId ?? context.awsRequestId;
    const [origin] = headerValues(event ?? {}, 'origin');
    const ofRequest = { 'x-request-id': requestId, ...corsHeaders(corsOrigins, origin) };
    // Made before the request is observed: after an error here, middy has `onError` respond, and observe, instead.
    request.response = responseOf(status, answer, ofRequest);
    observe({
      requestId,
      operation,
      account: context.request?.account,
      status,
      code: failure?.code,
      replayed: answer.replayed ?? false,
      duration: now() - internal.started,
      stats: context.request?.stats,
      cause: failure?.cause,
      ...answer.observed,
    });
  };
  return {
    before: ({ context, internal }) => {
      internal.started = now();
      // Callers other than Lambda may pass the context of an earlier request.
      Object.assign(context, { caller: undefined, request: undefined });
    },
    after: (request) => respond(request, successStatus(operation), request.response as Answer),
    onError: (request) => {
      const failure = catalogErrorOf(request.error);
      const { status, ...answer } = presentError(failure, request.context.caller);
      respond(request, status, answer, failure);
    },
  } satisfies MiddlewareObj<APIGatewayProxyEvent, Response, Error, RespondingContext, { started: EpochMs }>;
}

const responseOf = (
  status: number,
  { headers, body, replayed = false }: Answer,
  ofRequest: ResponseHeaders,
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    ...commonHeaders,
    ...ofRequest,
    ...headersOfStatus[status],
    ...headers,
    ...(replayed && replayedHeader),
  },
  body: JSON.stringify(body),
});

const replayedHeader: ResponseHeaders = { 'idempotency-replayed': 'true' };

export interface StartedRequest<Store> {
  readonly caller: Caller;
  readonly request: RequestContext;
  readonly store: Store;
}

/**
 * Reads the caller from the authorizer's context, which is the only trusted source, and checks what a cached policy
 * cannot: that the token has not expired since, and that it permits the operation (spec 5).
 * @param permission null means that none is needed
 */
export const startRequest = <Store>(
  permission: Permission | null,
  { openStore, now, newWriteId }: Pick<OperationDependencies<Store>, 'openStore' | 'now' | 'newWriteId'>,
): Reads<StartedRequest<Store>> =>
  reads((event, lambda) => {
    const started = now();
    if (headerValues(event ?? {}, 'authorization').length > 1) throw new CatalogError('UNAUTHORIZED');
    const caller = fromAuthorizerContext(event?.requestContext?.authorizer, started);
    if (permission !== null && !hasPermission(caller, permission)) throw new CatalogError('FORBIDDEN');
    const { account, user, issuer } = caller;
    const timed = timedContext(deadlineOf(started, lambda.getRemainingTimeInMillis()));
    const request: RequestContext = { ...timed, account, user, issuer, writeId: newWriteId() };
    return { caller, request, store: openStore(request) };
  });

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
