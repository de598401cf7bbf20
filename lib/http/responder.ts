import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { EpochMs } from '../item/epoch.ts';
import { type CatalogError, catalogErrorOf } from '../item/errors.ts';
import { corsHeaders } from './cors.ts';
import { commonHeaders, headersOfStatus, headerValues, type ResponseHeader, type ResponseHeaders } from './headers.ts';
import type { Observation, Observe } from './observation.ts';
import type { Operation } from './operations.ts';
import { presentError } from './presenter.ts';
import type { HandlerContext } from './startRequest.ts';

/** What a handler returns. The status is that of its operation. */
export interface SuccessResponse {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  /** Whether this response repeats that of an earlier request with the same key. */
  readonly replayed?: boolean;
  /** What else is recorded of the request. */
  readonly observed?: Partial<Observation>;
}

/** {@link proxyResult} converts it to the gateway's format. */
export interface HandlerResponse extends SuccessResponse {
  readonly status: number;
}

const replayedHeader: ResponseHeader = 'idempotency-replayed';

/** Converts a response to the format of API Gateway's proxy integration. */
export const proxyResult = ({ status, headers, body, replayed }: HandlerResponse): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headers, ...(replayed === true && { [replayedHeader]: 'true' }) },
  body: JSON.stringify(body),
});

interface ResponderOptions {
  readonly operation: Operation;
  /** Origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  readonly observe: Observe;
  readonly now: () => EpochMs;
}

type ResponderRequest = Request<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  HandlerContext,
  { started: number }
>;

/**
 * The outermost middleware. It adds the API's headers to every response, returns every error in the API's format, and
 * observes the request. An unexpected error becomes `INTERNAL_ERROR`, without revealing any of its message.
 */
export function responder({ operation, corsOrigins, observe, now }: ResponderOptions) {
  const complete = (request: ResponderRequest, result: APIGatewayProxyResult, failure?: CatalogError): void => {
    const { event, context, internal } = request;
    const [origin] = headerValues(event ?? {}, 'origin');
    const requestId = requestIdOf(request);
    const { statusCode: status } = result;
    const headers = { 'x-request-id': requestId, ...corsHeaders(corsOrigins, origin), ...headersOfStatus[status] };
    request.response = { ...result, headers: { ...commonHeaders, ...headers, ...result.headers } };
    observe({
      requestId,
      operation,
      account: context.request?.context.account,
      status,
      code: failure?.code,
      replayed: result.headers?.[replayedHeader] !== undefined,
      duration: now() - internal.started,
      stats: context.request?.context.stats,
      cause: failure?.cause,
      ...context.observed,
    });
  };
  return {
    before: ({ internal }) => {
      internal.started = now();
    },
    after: (request) => {
      if (request.response != null) complete(request, request.response);
    },
    onError: (request) => {
      const { error, context } = request;
      const failure = catalogErrorOf(error);
      complete(request, proxyResult(presentError(failure, context.request?.caller)), failure);
    },
  } satisfies MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, HandlerContext, { started: number }>;
}

/** The gateway's request id, which is also in its access log. Without a gateway, the function's own request id. */
const requestIdOf = ({ event, context }: ResponderRequest): string =>
  event?.requestContext?.requestId ?? context.awsRequestId;
