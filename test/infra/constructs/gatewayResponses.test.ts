import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errors } from '../../../lib/item/errors.ts';
import { propertiesOf, templateOf } from '../templateOf.ts';

const responses = propertiesOf(templateOf('prod'), 'AWS::ApiGateway::GatewayResponse');
const responseTo = (type: string) => responses.find(({ ResponseType }) => ResponseType === type);
const headersOf = (type: string) =>
  Object.fromEntries(
    Object.entries(responseTo(type).ResponseParameters).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      value,
    ]),
  );

/** A caller with the permission must be able to see that something else is the reason. */
const ownMessages: Readonly<Record<string, object>> = {
  WAF_FILTERED: { message: 'The firewall blocked the request.' },
  ACCESS_DENIED: {
    message: 'Your user has no account in this catalog, or a name that nobody can have. Ask an administrator.',
    field: 'account',
  },
};

describe("API Gateway's own responses", () => {
  it('are defined for every type', () => {
    const types = Object.values(ResponseType).map(({ responseType }) => responseType);
    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(types.sort());
  });

  it.each(responses.map((response) => [response.ResponseType, response]))(
    '%s has the status of its error code, and its message',
    (type, { StatusCode, ResponseTemplates }) => {
      const body = JSON.parse(ResponseTemplates['application/json']);
      const { status, message } = errors[body.error.code as ErrorCode];
      expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
      expect(body).toEqual({ error: { code: body.error.code, message, ...ownMessages[type] } });
      expect(StatusCode).toBe(String(status));
    },
  );

  it.each<[string, ErrorCode]>([
    ['UNAUTHORIZED', 'UNAUTHORIZED'],
    ['ACCESS_DENIED', 'FORBIDDEN'],
    ['MISSING_AUTHENTICATION_TOKEN', 'NOT_FOUND'],
    ['RESOURCE_NOT_FOUND', 'NOT_FOUND'],
    ['THROTTLED', 'TOO_MANY_REQUESTS'],
    ['QUOTA_EXCEEDED', 'TOO_MANY_REQUESTS'],
    ['WAF_FILTERED', 'FORBIDDEN'],
    ['REQUEST_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
    ['UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
    ['BAD_REQUEST_BODY', 'INVALID_JSON'],
    ['BAD_REQUEST_PARAMETERS', 'INVALID_REQUEST'],
    ['AUTHORIZER_FAILURE', 'INTERNAL_ERROR'],
    ['INTEGRATION_FAILURE', 'INTERNAL_ERROR'],
    ['INTEGRATION_TIMEOUT', 'GATEWAY_TIMEOUT'],
    ['DEFAULT_4XX', 'INVALID_REQUEST'],
    ['DEFAULT_5XX', 'INTERNAL_ERROR'],
  ])('%s is %s', (type, code) => {
    expect(JSON.parse(responseTo(type).ResponseTemplates['application/json']).error.code).toBe(code);
  });

  it.each(responses.map(({ ResponseType }) => ResponseType))('%s has the headers of every response', (type) => {
    expect(headersOf(type)).toMatchObject({
      'x-request-id': 'context.requestId',
      'cache-control': "'no-store'",
      'x-content-type-options': "'nosniff'",
      'access-control-allow-origin': "'*'",
    });
    const exposed = headersOf(type)['access-control-expose-headers'] as string;
    expect(exposed.slice(1, -1).split(',')).toEqual(expect.arrayContaining(['x-request-id', 'retry-after']));
  });

  it('have www-authenticate on 401 only, and retry-after on 429 only', () => {
    for (const { ResponseType, StatusCode } of responses) {
      const headers = headersOf(ResponseType);
      expect(headers['www-authenticate']).toBe(StatusCode === '401' ? `'Bearer error="invalid_token"'` : undefined);
      expect(headers['retry-after']).toBe(StatusCode === '429' ? "'1'" : undefined);
    }
  });

  it('contain no text from API Gateway or the caller', () => {
    for (const { ResponseTemplates } of responses) expect(JSON.stringify(ResponseTemplates)).not.toContain('$');
  });
});
