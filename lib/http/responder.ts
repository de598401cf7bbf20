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

/** What an operation answers. The status of a success is that of the operation. */
export interface Answer {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  readonly replayed?: boolean;
  /** What else is recorded of the request. */
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

/** The outermost: makes every answer and error a response, which reveals no unexpected error, and observes it. */
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
      // A context may be that of an earlier request, if it is not Lambda that calls.
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
