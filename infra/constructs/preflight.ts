import type { CfnMethod, IResource } from 'aws-cdk-lib/aws-apigateway';
import { Duration } from 'aws-cdk-lib/core';
import { allowedHeaders } from '../../lib/http/cors.ts';
import { commonHeaders } from '../../lib/http/headers.ts';
import { quotedHeaders, requestIdHeader } from './gatewayResponses.ts';

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
