import type { APIGatewayEventRequestContext } from 'aws-lambda';
import type { ApiDefinition } from '../template/deployment.ts';
import { type GatewayRequest, headerValues } from './gatewayRequest.ts';
import type { Match } from './matchRoute.ts';

/** What API Gateway tells a function of the request beside the request itself, all but the authorizer's words. */
export function requestContext(
  api: ApiDefinition,
  request: GatewayRequest,
  { route }: Match,
): Omit<APIGatewayEventRequestContext, 'authorizer'> {
  const domainName = headerValues(request, 'host').at(-1) ?? '';
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
      userAgent: headerValues(request, 'user-agent').at(-1) ?? null,
      userArn: null,
    },
    // The stage is not in the address here, as with a domain of one's own.
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

/** As `21/Nov/2026:04:03:40 +0000`. */
function commonLogTime(time: number): string {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
