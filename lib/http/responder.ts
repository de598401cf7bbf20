import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { CatalogError } from '../item/errors.ts';
import { corsHeaders } from './cors.ts';
import { errorResponse } from './errorResponse.ts';
import type { ResponseHeader, ResponseHeaders } from './headers.ts';
import { commonHeaders, headersOfStatus, headerValues } from './headers.ts';
import type { Observe } from './observation.ts';
import type { Operation } from './routes.ts';
import { startedRequest } from './startRequest.ts';

/** What a handler responds; {@link proxyResult} makes it the gateway's. */
export interface HandlerResponse {
  readonly status: number;
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  /** Whether an earlier request with the same key has had this response. */
  readonly replayed?: boolean;
}

interface ResponderOptions {
  readonly operation: Operation;
  /** The origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  readonly observe: Observe;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type ResponderRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context, { started: number }>;

/**
 * The outermost middleware: gives every response the API's headers, answers every error in the API's shape, and observes
 * the request. What is no expected refusal is answered as `INTERNAL_ERROR`, without a word of its text.
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

/** The gateway's id of the request, which its access log has too; called without a gateway, the function's own. */
const requestIdOf = ({ event, context }: ResponderRequest): string =>
  event?.requestContext?.requestId ?? context.awsRequestId;

const replayedHeader: ResponseHeader = 'idempotency-replayed';

/** A response as API Gateway's proxy integration takes it. */
export const proxyResult = ({ status, headers, body, replayed }: HandlerResponse): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headers, ...(replayed === true && { [replayedHeader]: 'true' }) },
  body: JSON.stringify(body),
});
