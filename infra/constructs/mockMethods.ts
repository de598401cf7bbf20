import {
  AuthorizationType,
  type CfnMethod,
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
} from 'aws-cdk-lib/aws-apigateway';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { allowedHeaders, commonHeaders, type ResponseHeaders } from '../../lib/http/headers.ts';
import { quotedHeaders, requestIdHeader, templatedResponse } from './gatewayResponses.ts';

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
