import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/** One line of JSON a request, with nothing in it that a caller wrote: no header, path, query or body. */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    traceId: AccessLogField.contextXrayTraceId(),
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
