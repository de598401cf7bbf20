import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { anyOrigin, corsHeaders } from '../../lib/http/cors.ts';
import { commonHeaders, headersOfStatus } from '../../lib/http/headers.ts';
import { type ErrorCode, errors } from '../../lib/item/errors.ts';

/** Which error each response is that API Gateway gives by itself. */
const codes = new Map<ResponseType, ErrorCode>([
  [ResponseType.ACCESS_DENIED, 'FORBIDDEN'],
  [ResponseType.API_CONFIGURATION_ERROR, 'INTERNAL_ERROR'],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 'INTERNAL_ERROR'],
  [ResponseType.AUTHORIZER_FAILURE, 'INTERNAL_ERROR'],
  [ResponseType.BAD_REQUEST_BODY, 'INVALID_JSON'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'INVALID_REQUEST'],
  [ResponseType.DEFAULT_4XX, 'INVALID_REQUEST'],
  [ResponseType.DEFAULT_5XX, 'INTERNAL_ERROR'],
  [ResponseType.EXPIRED_TOKEN, 'UNAUTHORIZED'],
  // Mostly a function that failed outside of its handler. AWS lists 504 for this type, and gives 502 for such functions.
  [ResponseType.INTEGRATION_FAILURE, 'INTERNAL_ERROR'],
  [ResponseType.INTEGRATION_TIMEOUT, 'GATEWAY_TIMEOUT'],
  [ResponseType.INVALID_API_KEY, 'FORBIDDEN'],
  [ResponseType.INVALID_SIGNATURE, 'UNAUTHORIZED'],
  // API Gateway's name for a request to a path or with a method that the API does not have.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'NOT_FOUND'],
  [ResponseType.QUOTA_EXCEEDED, 'TOO_MANY_REQUESTS'],
  [ResponseType.REQUEST_TOO_LARGE, 'PAYLOAD_TOO_LARGE'],
  [ResponseType.RESOURCE_NOT_FOUND, 'NOT_FOUND'],
  [ResponseType.THROTTLED, 'TOO_MANY_REQUESTS'],
  [ResponseType.UNAUTHORIZED, 'UNAUTHORIZED'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'UNSUPPORTED_MEDIA_TYPE'],
  // The firewall's only rule is that of the rate.
  [ResponseType.WAF_FILTERED, 'TOO_MANY_REQUESTS'],
]);

/** Header values as API Gateway takes texts: in quotes. */
export const quoted = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

/** The request's id, as a variable that API Gateway fills in. */
export const requestIdHeader = { 'x-request-id': 'context.requestId' } as const;

/**
 * Gives each response of API Gateway's own the error shape (spec 7.1), with status and text of the error table.
 * @param api the API that answers
 */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, code] of codes) {
    const { status, message } = errors[code];
    // The content type is that of the template, so it is no header beside it.
    const { 'content-type': contentType, ...always } = commonHeaders;
    const headers = {
      ...always,
      ...headersOfStatus[status],
      // Any page may read these, since they hold nothing but text that is the same for everyone.
      ...corsHeaders([anyOrigin], undefined),
    };
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      templates: { [contentType]: JSON.stringify({ error: { message, code } }) },
      responseHeaders: { ...quoted(headers), ...requestIdHeader },
    });
  }
}
