import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import type { RequestContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { type CatalogError, catalogErrorOf } from '../item/errors.ts';
import { commonHeaders, corsHeaders, headersOfStatus, headerValues, type ResponseHeaders } from './headers.ts';
import type { Observation, Observe } from './observation.ts';
import { type Operation, successStatus } from './operations.ts';
import { presentError } from './presenter.ts';

/** A success, which has the status of its operation. */
export interface Answer {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  readonly replayed?: boolean;
  /** Further parts of the observation. */
  readonly observed?: Partial<Observation>;
}

export interface ResponderOptions {
  readonly now: () => EpochMs;
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
export function responder(operation: Operation, { now, observe, corsOrigins }: ResponderOptions) {
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
