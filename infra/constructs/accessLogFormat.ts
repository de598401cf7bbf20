import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/** One line of JSON per request, without anything that the caller sent: no header, path, query or body. */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    address: AccessLogField.contextIdentitySourceIp(),
    account: AccessLogField.contextAuthorizer('account'),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    error: AccessLogField.contextErrorResponseType(),
    authorizerStatus: AccessLogField.contextAuthorizerStatus(),
    authorizerLatency: AccessLogField.contextAuthorizerLatency(),
    integrationStatus: AccessLogField.contextIntegrationStatus(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
    latency: AccessLogField.contextResponseLatency(),
    responseLength: AccessLogField.contextResponseLength(),
  }),
);
