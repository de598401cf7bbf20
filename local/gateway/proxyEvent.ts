import type { APIGatewayEventRequestContext, APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import type { ApiDefinition } from '../template/readApi.ts';
import { type GatewayRequest, rawHeaderValues } from './gatewayRequest.ts';
import type { RouteMatch } from './matchRoute.ts';

/** Connection headers, which API Gateway does not pass on. */
const connectionHeaders = new Set(
  'connection content-length expect keep-alive te transfer-encoding upgrade'.split(' '),
);

/** The ARN of the request's method and path, which an authorizer's policy allows or denies. */
export const methodArn = (api: ApiDefinition, request: GatewayRequest): string =>
  `arn:aws:execute-api:${api.region}:${api.accountId}:${api.id}/${api.stage}/${request.method}${request.path}`;

/**
 * The event that a route's function receives.
 * @param authorizer the authorizer's context for the caller; undefined if the route has no authorizer
 */
export function proxyEvent(
  api: ApiDefinition,
  request: GatewayRequest,
  match: RouteMatch,
  authorizer: Readonly<Record<string, unknown>> | undefined,
): APIGatewayProxyEvent {
  const { pathParameters } = match;
  const query = queryOf(request);
  const isBase64Encoded = request.body.length > 0 && isBinary(api, request);
  return {
    ...commonParts(request, match),
    queryStringParameters: query.length === 0 ? null : last(query),
    multiValueQueryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    pathParameters: Object.keys(pathParameters).length === 0 ? null : pathParameters,
    stageVariables: null,
    requestContext: { ...proxyRequestContext(api, request, match), authorizer },
    body: request.body.length === 0 ? null : request.body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
}

export function authorizerEvent(
  api: ApiDefinition,
  request: GatewayRequest,
  match: RouteMatch,
): APIGatewayRequestAuthorizerEvent {
  const query = queryOf(request);
  return {
    ...commonParts(request, match),
    type: 'REQUEST',
    methodArn: methodArn(api, request),
    queryStringParameters: last(query),
    multiValueQueryStringParameters: Object.fromEntries(query),
    pathParameters: match.pathParameters,
    stageVariables: {},
    requestContext: { ...proxyRequestContext(api, request, match), authorizer: undefined },
  };
}

function commonParts(request: GatewayRequest, { route }: RouteMatch) {
  const passedOn = request.headers.filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  const headers = group(passedOn, (name) => name.toLowerCase());
  return {
    resource: route.resource,
    path: request.path,
    httpMethod: request.method,
    headers: last(headers),
    multiValueHeaders: Object.fromEntries(headers),
  };
}

const queryOf = ({ query }: GatewayRequest) => group([...query], (name) => name);

type Pair = readonly [name: string, value: string];

/** Groups values by name. Names with the same normalised form share the first spelling. */
const group = (pairs: readonly Pair[], normalize: (name: string) => string): [string, string[]][] =>
  [...Map.groupBy(pairs, ([name]) => normalize(name)).values()].map((same) => [
    same[0]?.[0] ?? '',
    same.map(([, value]) => value),
  ]);

/** Where an event has a single value, API Gateway uses the last one. */
const last = (values: readonly [string, string[]][]): Record<string, string> =>
  Object.fromEntries(values.map(([name, all]) => [name, all.at(-1) ?? '']));

/** The media type of a request without its parameters. Defaults to JSON. */
export function mediaTypeOf(request: GatewayRequest): string {
  const [type = ''] = (rawHeaderValues(request, 'content-type').at(-1) ?? 'application/json').split(';');
  return type.trim().toLowerCase();
}

function isBinary({ binaryMediaTypes }: ApiDefinition, request: GatewayRequest): boolean {
  const type = mediaTypeOf(request);
  return binaryMediaTypes.some((known) => ['*/*', `${type.split('/')[0]}/*`, type].includes(known));
}

/** Without what is optional: no function reads it. */
const proxyRequestContext = (
  api: ApiDefinition,
  request: GatewayRequest,
  { route }: RouteMatch,
): Omit<APIGatewayEventRequestContext, 'authorizer'> => ({
  accountId: api.accountId,
  apiId: api.id,
  httpMethod: request.method,
  // The others are null without API keys and IAM.
  identity: { sourceIp: request.sourceIp } as APIGatewayEventRequestContext['identity'],
  // As with a custom domain, the path does not start with the stage.
  path: request.path,
  protocol: request.protocol,
  requestId: request.id,
  requestTimeEpoch: request.receivedAt,
  resourceId: route.resourceId,
  resourcePath: route.resource,
  stage: api.stage,
});
