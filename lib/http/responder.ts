import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import type { RequestContext } from '../catalog/catalogStore.ts';
import { CatalogError, errors } from '../item/errors.ts';
import { corsHeaders } from './cors.ts';
import { commonHeaders, headersOfStatus, headerValues } from './headers.ts';
import type { Observe } from './observation.ts';
import type { Operation } from './routes.ts';

/** What a handler answers; the responder makes it the gateway's. */
export interface HandlerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether it is the answer that an earlier request with the same key has had. */
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

/** The event as the middleware after this one leaves it, or as it came when one of them threw. */
type ResponderEvent = APIGatewayProxyEvent & { caller?: Caller; call?: RequestContext };
type ResponderRequest = Request<
  ResponderEvent,
  HandlerResponse | APIGatewayProxyResult,
  Error,
  Context,
  { started: number }
>;

/**
 * The outermost middleware: every answer, and whatever was thrown, leaves as a response in the API's shape, and is
 * observed. What is no expected refusal is answered as `INTERNAL_ERROR`, without a word of its text.
 */
export function responder({ operation, corsOrigins, observe, now }: ResponderOptions) {
  const respond = (request: ResponderRequest, answer: HandlerResponse, refusal?: CatalogError): void => {
    const { event, internal } = request;
    const [origin] = headerValues(event ?? {}, 'origin');
    const requestId = requestIdOf(request);
    request.response = toResponse(answer, { 'x-request-id': requestId, ...corsHeaders(corsOrigins, origin) });
    observe({
      requestId,
      operation,
      account: event?.caller?.account,
      status: answer.status,
      code: refusal?.code,
      replayed: answer.replayed === true,
      duration: now() - internal.started,
      stats: event?.call?.stats,
      cause: refusal?.cause,
    });
  };
  return {
    before: ({ internal }) => {
      internal.started = now();
    },
    after: (request) => respond(request, request.response as HandlerResponse),
    onError: (request) => {
      const { error } = request;
      const refusal = error instanceof CatalogError ? error : new CatalogError('INTERNAL_ERROR', { cause: error });
      respond(request, answerTo(refusal), refusal);
    },
  } satisfies MiddlewareObj<
    ResponderEvent,
    HandlerResponse | APIGatewayProxyResult,
    Error,
    Context,
    { started: number }
  >;
}

/** An error as spec 7.1 shapes it; what the gateway answers by itself has the same shape. */
const answerTo = ({ code, message, fields }: CatalogError): HandlerResponse => ({
  status: errors[code].status,
  body: { error: { message, code, ...(fields && { fields }) } },
});

/** The gateway's id of the request, which its access log has too; called without a gateway, the function's own. */
const requestIdOf = ({ event, context }: ResponderRequest): string =>
  event?.requestContext?.requestId ?? context.awsRequestId;

const toResponse = (
  { status, headers, body, replayed }: HandlerResponse,
  more: Record<string, string>,
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    ...commonHeaders,
    ...more,
    ...headersOfStatus[status],
    ...headers,
    ...(replayed === true && { 'idempotency-replayed': 'true' }),
  },
  body: JSON.stringify(body),
});
