import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { anyOrigin, commonHeaders, corsHeaders, headersOfStatus } from '../../lib/http/headers.ts';
import { accountMessages, type ErrorCode, type ErrorSubject, errors } from '../../lib/item/errors.ts';

const errorCodes = new Map<ResponseType, ErrorCode>([
  [ResponseType.ACCESS_DENIED, 'FORBIDDEN'],
  [ResponseType.API_CONFIGURATION_ERROR, 'INTERNAL_ERROR'],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 'INTERNAL_ERROR'],
  [ResponseType.AUTHORIZER_FAILURE, 'INTERNAL_ERROR'],
  [ResponseType.BAD_REQUEST_BODY, 'INVALID_JSON'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'INVALID_REQUEST'],
  [ResponseType.DEFAULT_4XX, 'INVALID_REQUEST'],
  [ResponseType.DEFAULT_5XX, 'INTERNAL_ERROR'],
  [ResponseType.EXPIRED_TOKEN, 'UNAUTHORIZED'],
  // Usually a function that failed outside its handler. AWS documents 504 for this type, but such failures return 502.
  [ResponseType.INTEGRATION_FAILURE, 'INTERNAL_ERROR'],
  [ResponseType.INTEGRATION_TIMEOUT, 'GATEWAY_TIMEOUT'],
  [ResponseType.INVALID_API_KEY, 'FORBIDDEN'],
  [ResponseType.INVALID_SIGNATURE, 'UNAUTHORIZED'],
  // API Gateway's name for an unknown path or method.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'NOT_FOUND'],
  [ResponseType.QUOTA_EXCEEDED, 'TOO_MANY_REQUESTS'],
  [ResponseType.REQUEST_TOO_LARGE, 'PAYLOAD_TOO_LARGE'],
  [ResponseType.RESOURCE_NOT_FOUND, 'NOT_FOUND'],
  [ResponseType.THROTTLED, 'TOO_MANY_REQUESTS'],
  [ResponseType.UNAUTHORIZED, 'UNAUTHORIZED'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'UNSUPPORTED_MEDIA_TYPE'],
  [ResponseType.WAF_FILTERED, 'FORBIDDEN'],
]);

const details = new Map<ResponseType, { readonly message: string } & ErrorSubject>([
  // The authorizer denies nobody else. The functions check permissions.
  [ResponseType.ACCESS_DENIED, { message: accountMessages.none, field: 'account' }],
  // Requests that a managed rule of the firewall blocked. Its rate limits have a response of their own.
  [ResponseType.WAF_FILTERED, { message: 'The firewall blocked the request.' }],
]);

/** API Gateway requires quotes around static header values. */
export const quotedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

/** API Gateway replaces this variable with the request's id. */
export const requestIdHeader = { 'x-request-id': 'context.requestId' } as const;

/**
 * An error response that API Gateway sends itself, in the format of the API's errors (spec 7.1).
 * @param detail its message, unless that of the code, and what that names
 */
export function templatedResponse(code: ErrorCode, detail: { readonly message?: string } & ErrorSubject = {}) {
  const { status } = errors[code];
  // The template sets the content type.
  const { 'content-type': contentType, ...always } = commonHeaders;
  const headers = {
    ...always,
    ...headersOfStatus[status],
    // Any web page may read these, because their text is the same for every caller.
    ...corsHeaders([anyOrigin], undefined),
  };
  return {
    statusCode: String(status),
    headers: { ...quotedHeaders(headers), ...requestIdHeader },
    templates: { [contentType]: JSON.stringify({ error: { message: errors[code].message, code, ...detail } }) },
  };
}

/** Makes API Gateway's own responses use the API's error format, with the status of their error code. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, code] of errorCodes) {
    const { statusCode, headers, templates } = templatedResponse(code, details.get(type));
    api.addGatewayResponse(type.responseType, { type, statusCode, templates, responseHeaders: headers });
  }
}
