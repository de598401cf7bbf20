import {
  AuthorizationType,
  type CfnMethod,
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Duration, Validations } from 'aws-cdk-lib/core';
import {
  allowedHeaders,
  anyOrigin,
  commonHeaders,
  corsHeaders,
  headersOfStatus,
  type ResponseHeaders,
} from '../../lib/http/headers.ts';
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
const quotedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

/** API Gateway replaces this variable with the request's id. */
const requestIdHeader = { 'x-request-id': 'context.requestId' } as const;

/**
 * An error response that API Gateway sends itself, in the format of the API's errors (spec 7.1).
 * @param detail its message, if not that of the code, and its subject
 */
function templatedResponse(code: ErrorCode, detail: { readonly message?: string } & ErrorSubject = {}) {
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

/** The headers of every response, except the content type: a preflight's response has no body. */
const { 'content-type': _, ...bodiless } = commonHeaders;
const preflightHeaders = { ...quotedHeaders(bodiless), ...requestIdHeader };

/**
 * Adds the response to CORS preflight requests for a path. A path can have only one, which must allow all of its
 * methods.
 */
export function addPreflight(resource: IResource, methods: readonly string[], origins: readonly string[]): void {
  const preflight = resource.addCorsPreflight({
    allowOrigins: [...origins],
    allowMethods: [...methods],
    allowHeaders: [...allowedHeaders],
    maxAge: Duration.hours(1),
  });
  const method = preflight.node.defaultChild as CfnMethod;
  for (const [name, value] of Object.entries(preflightHeaders)) {
    const parameter = `ResponseParameters.method\\.response\\.header\\.${name}`;
    method.addPropertyOverride(`Integration.IntegrationResponses.0.${parameter}`, value);
    method.addPropertyOverride(`MethodResponses.0.${parameter}`, true);
  }
  // A mock integration applies its template to the request as text. JSON is a binary media type of this API, so without
  // the conversion it would get bytes and return 500 for every preflight request.
  method.addPropertyOverride('Integration.ContentHandling', 'CONVERT_TO_TEXT');
}

/**
 * Responds with 405 to all other methods on a path, and lists the path's methods in `Allow` (RFC 9110 section 15.5.6).
 * @param methods the path's methods, except OPTIONS
 */
export function refuseOtherMethods(resource: IResource, methods: readonly string[]): void {
  const { statusCode, headers, templates } = templatedResponse('METHOD_NOT_ALLOWED');
  const allow: ResponseHeaders = { allow: [...methods, 'OPTIONS'].join(', ') };
  const parameters = Object.entries({ ...headers, ...quotedHeaders(allow) }).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  // JSON is a binary media type of this API. Without the conversions, the templates would be treated as base64.
  const contentHandling = ContentHandling.CONVERT_TO_TEXT;
  const response = { statusCode, contentHandling, responseTemplates: templates };
  const integration = new MockIntegration({
    contentHandling,
    // If the request body were passed through, it could choose the response. So any other media type gets 415.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': `{"statusCode":${statusCode}}` },
    integrationResponses: [{ ...response, responseParameters: Object.fromEntries(parameters) }],
  });
  const method = resource.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    methodResponses: [{ statusCode, responseParameters: Object.fromEntries(parameters.map(([name]) => [name, true])) }],
  });
  const reason = 'Its response is the same for every caller, and only names the methods of the path.';
  Validations.of(method).acknowledge({ id: 'AwsSolutions-APIG4', reason });
}
