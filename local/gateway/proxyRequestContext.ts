import type { APIGatewayEventRequestContext } from 'aws-lambda';
import type { ApiDefinition } from '../template/deployment.ts';
import { type GatewayRequest, rawHeaderValues } from './gatewayRequest.ts';
import type { RouteMatch } from './matchRoute.ts';

/** The `requestContext` of an event, without `authorizer`. */
export function proxyRequestContext(
  api: ApiDefinition,
  request: GatewayRequest,
  { route }: RouteMatch,
): Omit<APIGatewayEventRequestContext, 'authorizer'> {
  const domainName = rawHeaderValues(request, 'host').at(-1) ?? '';
  return {
    accountId: api.accountId,
    apiId: api.id,
    domainName,
    domainPrefix: domainName.split('.')[0] ?? '',
    extendedRequestId: request.id,
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: request.sourceIp,
      user: null,
      userAgent: rawHeaderValues(request, 'user-agent').at(-1) ?? null,
      userArn: null,
    },
    // As with a custom domain, the path does not start with the stage.
    path: request.path,
    protocol: request.protocol,
    requestId: request.id,
    requestTime: commonLogTime(request.receivedAt),
    requestTimeEpoch: request.receivedAt,
    resourceId: route.resourceId,
    resourcePath: route.resource,
    stage: api.stage,
  };
}

/** Such as `21/Nov/2026:04:03:40 +0000`. */
function commonLogTime(time: number): string {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
