import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { CatalogError } from '../item/errors.ts';
import { corsHeaders } from './cors.ts';
import { errorResponse } from './errorResponse.ts';
import type { ResponseHeader, ResponseHeaders } from './headers.ts';
import { commonHeaders, headersOfStatus, headerValues } from './headers.ts';
import type { Observe } from './observation.ts';
import type { Operation } from './operations.ts';
import { startedRequest } from './startRequest.ts';

/** What a handler returns. The status is that of its operation. */
export interface SuccessResponse {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  /** Whether this response repeats that of an earlier request with the same key. */
  readonly replayed?: boolean;
}

/** {@link proxyResult} converts it to the gateway's format. */
export interface HandlerResponse extends SuccessResponse {
  readonly status: number;
}

interface ResponderOptions {
  readonly operation: Operation;
  /** Origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  readonly observe: Observe;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type ResponderRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context, { started: number }>;

/**
 * The outermost middleware. It adds the API's headers to every response, returns every error in the API's format, and
 * observes the request. An unexpected error becomes `INTERNAL_ERROR`, without revealing any of its message.
 */
export function responder({ operation, corsOrigins, observe, now }: ResponderOptions) {
  const complete = (request: ResponderRequest, result: APIGatewayProxyResult, refusal?: CatalogError): void => {
    const { event, context, internal } = request;
    const [origin] = headerValues(event ?? {}, 'origin');
    const requestId = requestIdOf(request);
    const { statusCode: status } = result;
    const headers = { 'x-request-id': requestId, ...corsHeaders(corsOrigins, origin), ...headersOfStatus[status] };
    request.response = { ...result, headers: { ...commonHeaders, ...headers, ...result.headers } };
    const started = startedRequest(context);
    observe({
      requestId,
      operation,
      account: started?.context.account,
      status,
      code: refusal?.code,
      replayed: result.headers?.[replayedHeader] !== undefined,
      duration: now() - internal.started,
      stats: started?.context.stats,
      cause: refusal?.cause,
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
      const { error } = request;
      const refusal = error instanceof CatalogError ? error : new CatalogError('INTERNAL_ERROR', { cause: error });
      const caller = startedRequest(request.context)?.caller;
      complete(request, proxyResult(errorResponse(refusal, caller)), refusal);
    },
  } satisfies MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context, { started: number }>;
}

/** The gateway's request id, which is also in its access log. Without a gateway, the function's own request id. */
const requestIdOf = ({ event, context }: ResponderRequest): string =>
  event?.requestContext?.requestId ?? context.awsRequestId;

const replayedHeader: ResponseHeader = 'idempotency-replayed';

/** Converts a response to the format of API Gateway's proxy integration. */
export const proxyResult = ({ status, headers, body, replayed }: HandlerResponse): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headers, ...(replayed === true && { [replayedHeader]: 'true' }) },
  body: JSON.stringify(body),
});
