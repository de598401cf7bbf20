import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { ErrorCode } from '../../item/errors.ts';
import { CatalogError, errors } from '../../item/errors.ts';
import { exposedHeaders } from '../cors.ts';
import { commonHeaders, headersOfStatus } from '../headers.ts';

/** What a handler answers; the responder makes it the gateway's. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The body of an error (spec 7.1), in the shape that the gateway's own responses have too. */
export const errorBody = (code: ErrorCode, message: string = errors[code].message) => ({ error: { message, code } });

const answerTo = (error: CatalogError): Answer => {
  const { error: body } = errorBody(error.code, error.message);
  return {
    status: errors[error.code].status,
    body: { error: { ...body, ...(error.fields && { fields: error.fields }) } },
  };
};

/**
 * The outermost middleware: every answer, and whatever was thrown, leaves as a response in the API's shape. What is no
 * expected refusal is reported and answered as `INTERNAL_ERROR`, without a word of its text.
 * @param report is told of each defect and outage
 */
export function responder(
  report: (error: unknown, requestId: string) => void,
): MiddlewareObj<APIGatewayProxyEvent, Answer | APIGatewayProxyResult> {
  return {
    after: (request) => {
      request.response = toResponse(request.response as Answer, requestIdOf(request));
    },
    onError: (request) => {
      const { error } = request;
      const refusal = error instanceof CatalogError ? error : new CatalogError('INTERNAL_ERROR', { cause: error });
      if (refusal.cause !== undefined) report(refusal.cause, requestIdOf(request));
      request.response = toResponse(answerTo(refusal), requestIdOf(request));
    },
  };
}

/** The gateway's id of the request, which its access log has too; called without a gateway, the function's own. */
const requestIdOf = (request: { event: APIGatewayProxyEvent | null; context: { awsRequestId: string } }): string =>
  request.event?.requestContext?.requestId ?? request.context.awsRequestId;

const toResponse = ({ status, headers, body }: Answer, requestId: string): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    ...commonHeaders,
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedHeaders.join(),
    ...headersOfStatus[status],
    ...headers,
  },
  body: JSON.stringify(body),
});
