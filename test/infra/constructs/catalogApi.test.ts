import { Template } from 'aws-cdk-lib/assertions';
import { CfnMethod, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { shareOf } from '../../../lib/access/shareOf.ts';
import { functionServing, methodsOf, type Operation, operations } from '../../../lib/http/operations.ts';
import { type ErrorCode, errors } from '../../../lib/item/errors.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { functionOf, propertiesOf, resourcesOf, templateOf, theOnly, typesOf } from '../templateOf.ts';

const template = templateOf('prod');
const settings = settingsOf('prod');
const api = theOnly(template, 'AWS::ApiGateway::RestApi');
const stage = theOnly(template, 'AWS::ApiGateway::Stage');

/** The path of a resource, read from the chain of its parents. */
function pathOf({ Ref }: { Ref?: string }): string {
  if (Ref === undefined) return '';
  const { ParentId, PathPart } = theOnly(template, Ref);
  return `${pathOf(ParentId)}/${PathPart}`;
}

const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map((method) => ({
  ...method,
  path: pathOf(method.ResourceId),
}));
const served = methods.filter(({ Integration }) => Integration.Type !== 'MOCK');
const mocked = (method: string) => methods.filter(({ HttpMethod }) => HttpMethod === method);
const names = Object.keys(operations) as Operation[];
const methodsOfPath = (path: string) => names.filter((name) => operations[name].path === path).flatMap(methodsOf);
/** The headers of a response, by their names. */
const headersOf = ({ ResponseParameters }: { ResponseParameters: object }): Record<string, string> =>
  Object.fromEntries(Object.entries(ResponseParameters).map(([name, value]) => [name.split('header.')[1], value]));

describe('the routes', () => {
  const paths = new Set(names.map((name) => operations[name].path));

  it('are exactly those of lib/http/operations.ts, each with its function, and a response to other methods', () => {
    const found = methods.map(({ HttpMethod, Integration, path }) => {
      const target = Integration.Uri?.['Fn::Join'][1].find((part: object) => typeof part === 'object');
      return `${HttpMethod} ${path} ${target && functionOf(template, target)}`;
    });
    const listed = names.flatMap((name) =>
      methodsOf(name).map((method) => `${method} ${operations[name].path} ${functionServing(name)}`),
    );
    const others = [...paths].flatMap((path) => ['OPTIONS', 'ANY'].map((method) => `${method} ${path} undefined`));
    expect(found.sort()).toEqual([...listed, ...others].sort());
  });

  it('follow the preflight of their path, or SAM would answer 502 for them', () => {
    for (const path of paths) expect(methods.find((method) => method.path === path)?.HttpMethod).toBe('OPTIONS');
  });

  it('are deployed anew when an override changes one of them', () => {
    const deployed = (value?: string) => {
      const stack = createApp({ environment: 'dev', bundling: false }).node.findChild('catalog-dev') as Stack;
      const methodsIn = stack.node.findAll().filter((node) => node instanceof CfnMethod);
      if (value !== undefined) methodsIn.at(-1)?.addPropertyOverride('Integration.ContentHandling', value);
      return resourcesOf(Template.fromStack(stack), 'AWS::ApiGateway::Deployment').map(([id]) => id);
    };
    expect(new Set([deployed(), deployed(), deployed('a'), deployed('b')].flat()).size).toBe(3);
  });

  it('require the authorizer if they call a function, which API Gateway may invoke for each', () => {
    const [[AuthorizerId] = []] = resourcesOf(template, 'AWS::ApiGateway::Authorizer');
    const guard = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: AuthorizerId } };
    const sources = JSON.stringify(propertiesOf(template, 'AWS::Lambda::Permission').map(({ SourceArn }) => SourceArn));
    for (const method of served) {
      expect(method).toMatchObject(guard);
      expect(sources).toContain(`"/${method.HttpMethod}${method.path.replace('{id}', '*')}"`);
    }
    expect(theOnly(template, 'AWS::ApiGateway::Authorizer')).toMatchObject({
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 60,
    });
  });

  it('compress responses of 1 KiB or more, and pass bodies to the functions byte for byte', () => {
    expect(api).toMatchObject({ MinimumCompressionSize: 1024, BinaryMediaTypes: ['application/json'] });
  });
});

const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');
const responseTo = (type: string) => responses.find(({ ResponseType }) => ResponseType === type);

describe('another method on a path', () => {
  it.each(mocked('ANY'))('is answered 405 as other errors are, with the methods of the path $path', (method) => {
    const [response] = method.Integration.IntegrationResponses;
    const { allow, ...headers } = headersOf(response);
    expect(allow).toBe(`'${[...methodsOfPath(method.path), 'OPTIONS'].join(', ')}'`);
    expect(headers).toEqual(headersOf(responseTo('MISSING_AUTHENTICATION_TOKEN')));
    const { message } = errors.METHOD_NOT_ALLOWED;
    const text = JSON.stringify({ error: { message, code: 'METHOD_NOT_ALLOWED' } });
    expect(response).toMatchObject({ StatusCode: '405', ResponseTemplates: { 'application/json': text } });
    expect(Object.keys(method.MethodResponses[0].ResponseParameters)).toEqual(Object.keys(response.ResponseParameters));
    // It uses nothing from the request.
    expect(response.ContentHandling).toBe('CONVERT_TO_TEXT');
    expect(method.Integration).toMatchObject({
      PassthroughBehavior: 'NEVER',
      ContentHandling: 'CONVERT_TO_TEXT',
      RequestTemplates: { 'application/json': '{"statusCode":405}' },
    });
    expect(method.AuthorizationType).toBe('NONE');
  });
});

describe('a preflight', () => {
  it.each(mocked('OPTIONS'))('allows the methods of the path $path to the origin in the settings', (preflight) => {
    expect(headersOf(preflight.Integration.IntegrationResponses[0])).toMatchObject({
      'Access-Control-Allow-Methods': `'${methodsOfPath(preflight.path)}'`,
      'Access-Control-Allow-Origin': `'${settings.corsOrigins[0]}'`,
      Vary: "'Origin'",
    });
    // Otherwise, it would be answered with 500.
    expect(preflight.Integration.ContentHandling).toBe('CONVERT_TO_TEXT');
  });

  it('allows each of several origins and no others', () => {
    const several = templateOf('dev', { corsOrigins: ['https://one.example.com', 'https://two.example.com'] });
    const [{ Integration }] = propertiesOf(several, 'AWS::ApiGateway::Method').filter(
      ({ HttpMethod }) => HttpMethod === 'OPTIONS',
    );
    const [response] = Integration.IntegrationResponses;
    expect(headersOf(response)['Access-Control-Allow-Origin']).toBe("'https://one.example.com'");
    expect(response.ResponseTemplates['application/json']).toContain('#if($origin == "https://two.example.com")');
  });
});

describe("API Gateway's own responses", () => {
  const typesOfCode = {
    FORBIDDEN: ['ACCESS_DENIED', 'INVALID_API_KEY', 'WAF_FILTERED'],
    GATEWAY_TIMEOUT: ['INTEGRATION_TIMEOUT'],
    INTERNAL_ERROR: [
      ...['API_CONFIGURATION_ERROR', 'AUTHORIZER_CONFIGURATION_ERROR', 'AUTHORIZER_FAILURE'],
      ...['DEFAULT_5XX', 'INTEGRATION_FAILURE'],
    ],
    INVALID_JSON: ['BAD_REQUEST_BODY'],
    INVALID_REQUEST: ['BAD_REQUEST_PARAMETERS', 'DEFAULT_4XX'],
    NOT_FOUND: ['MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND'],
    PAYLOAD_TOO_LARGE: ['REQUEST_TOO_LARGE'],
    TOO_MANY_REQUESTS: ['QUOTA_EXCEEDED', 'THROTTLED'],
    UNAUTHORIZED: ['EXPIRED_TOKEN', 'INVALID_SIGNATURE', 'UNAUTHORIZED'],
    UNSUPPORTED_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE'],
  } as const satisfies Partial<Record<ErrorCode, string[]>>;
  const codeOf = Object.entries(typesOfCode).flatMap(([code, types]) =>
    types.map((type): [string, ErrorCode] => [type, code as ErrorCode]),
  );
  /** A caller with the permission must be able to see that something else is the reason. */
  const details: Readonly<Record<string, object>> = {
    WAF_FILTERED: { message: 'The firewall blocked the request.' },
    ACCESS_DENIED: {
      message: 'Your user has no account in this catalog, or a name that nobody can have. Ask an administrator.',
      field: 'account',
    },
  };

  it.each(codeOf)('%s has the status, message and headers of %s, and no text from the caller', (type, code) => {
    const { ResponseTemplates, StatusCode, ...response } = responseTo(type);
    const { message, status } = errors[code];
    expect([StatusCode, Object.keys(ResponseTemplates)]).toEqual([String(status), ['application/json']]);
    expect(JSON.parse(ResponseTemplates['application/json'])).toEqual({ error: { message, code, ...details[type] } });
    expect(JSON.stringify(ResponseTemplates)).not.toContain('$');
    expect(headersOf(response)).toEqual({
      'x-request-id': 'context.requestId',
      'cache-control': "'no-store'",
      'x-content-type-options': "'nosniff'",
      'access-control-allow-origin': "'*'",
      'access-control-expose-headers': expect.stringMatching(/^'.*\bretry-after\b.*\bx-request-id\b.*'$/),
      ...(status === 401 && { 'www-authenticate': `'Bearer error="invalid_token"'` }),
      ...(status === 429 && { 'retry-after': "'1'" }),
    });
  });

  it('are defined for every type', () => {
    const types = Object.values(ResponseType).map(({ responseType }) => responseType);
    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(types.sort());
  });
});

describe('the stage', () => {
  it('is throttled as the settings say, also of batches', () => {
    const { rate, burst, batches } = settings.throttling;
    expect(stage.MethodSettings).toEqual([
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        DataTraceEnabled: false,
        ThrottlingRateLimit: rate,
        ThrottlingBurstLimit: burst,
      },
      expect.objectContaining({
        HttpMethod: 'POST',
        ResourcePath: '/~1api~1v1~1api~1v1~1items~1batch',
        ThrottlingRateLimit: batches.rate,
        ThrottlingBurstLimit: batches.burst,
      }),
    ]);
  });

  it('logs a line of JSON a request, without header, path, query or body, kept as the settings say', () => {
    const [, arn] = stage.AccessLogSetting.DestinationArn['Fn::Join'];
    expect(theOnly(template, arn.at(-1).Ref).RetentionInDays).toBe(settings.logDays);
    const logged: Record<string, string> = JSON.parse(stage.AccessLogSetting.Format);
    expect(logged).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    const variables = Object.values(logged).map((variable) => variable.replace('$context.', ''));
    expect(variables.sort().join(' ')).toBe(
      'authorizer.account authorizer.latency authorizer.status error.responseType httpMethod identity.sourceIp ' +
        'integrationLatency integrationStatus requestId requestTimeEpoch resourcePath responseLatency responseLength status',
    );
  });

  it('counts in this log what it refuses itself', () => {
    const counted = propertiesOf(template, 'AWS::Logs::MetricFilter').map(
      ({ FilterPattern, MetricTransformations: [{ MetricName }] }) => [MetricName, FilterPattern],
    );
    expect(counted).toEqual([
      ['Throttled', '{ $.error = "THROTTLED" }'],
      ['Unauthorized', '{ $.status = "401" }'],
    ]);
  });
});

describe('shares of accounts that are enforced', () => {
  const shared = templateOf('prod', { throttling: optionalSettings.throttling });
  const plan = theOnly(shared, 'AWS::ApiGateway::UsagePlan');

  it('make every served method need the key that the authorizer returns for an account', () => {
    const needed = propertiesOf(shared, 'AWS::ApiGateway::Method').map(({ ApiKeyRequired = false, Integration }) => [
      ApiKeyRequired,
      Integration.Type !== 'MOCK',
    ]);
    expect(needed.filter(([needsKey, isServed]) => needsKey !== isServed)).toEqual([]);
    expect(theOnly(shared, 'AWS::ApiGateway::RestApi').ApiKeySourceType).toBe('AUTHORIZER');
    const { CATALOG_SHARES } = theOnly(shared, 'authorizer').Environment.Variables;
    const keys = new Map(
      resourcesOf(shared, 'AWS::ApiGateway::ApiKey').map(([id, { Properties }]) => [id, Properties]),
    );
    const members = propertiesOf(shared, 'AWS::ApiGateway::UsagePlanKey').map(({ KeyId }) => keys.get(KeyId.Ref));
    expect(members.every(({ Enabled }) => Enabled)).toBe(true);
    const accounts = ['heartbeat', 'acme', ...Array.from({ length: 2_000 }, (_, index) => `tenant-${index}`)];
    const returned = new Set(accounts.map((account) => shareOf(account, JSON.parse(CATALOG_SHARES))));
    expect(new Set(members.map(({ Value }) => Value))).toEqual(returned);
  });

  it('limit the requests of each key, and batches by their own limit', () => {
    const { shares } = optionalSettings.throttling;
    expect(plan.Throttle).toEqual({ RateLimit: shares.rate, BurstLimit: shares.burst });
    expect(plan.ApiStages.map(({ Throttle }: { Throttle: object }) => Throttle)).toEqual([
      { [`${operations.writeItems.path}/POST`]: { RateLimit: shares.batches.rate, BurstLimit: shares.batches.burst } },
    ]);
  });
});

describe('a custom domain', () => {
  const policy = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09' };
  const { customDomain } = optionalSettings;
  const { name, zone } = customDomain;
  const inZone = templateOf('prod', optionalSettings);

  it('replaces the default endpoint, and takes TLS 1.2 or later as that does', () => {
    expect(api).toMatchObject({ ...policy, DisableExecuteApiEndpoint: false });
    expect(theOnly(inZone, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true);
    expect(theOnly(inZone, 'AWS::ApiGateway::DomainName')).toMatchObject({ ...policy, DomainName: name });
    expect(inZone.toJSON()['Outputs']).toMatchObject({
      ApiUrl: { Value: `https://${name}/` },
      DomainTarget: { Value: { 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] } },
    });
  });

  it('in a zone of Route 53 gets its certificate, validated in the zone, and its DNS record from the stack', () => {
    const { RegionalCertificateArn } = theOnly(inZone, 'AWS::ApiGateway::DomainName');
    expect(theOnly(inZone, RegionalCertificateArn.Ref)).toMatchObject({
      DomainName: name,
      DomainValidationOptions: [{ DomainName: name, HostedZoneId: zone.id }],
      ValidationMethod: 'DNS',
    });
    expect(theOnly(inZone, 'AWS::Route53::RecordSet')).toMatchObject({
      Name: `${name}.`,
      Type: 'A',
      HostedZoneId: zone.id,
      AliasTarget: { DNSName: { 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] } },
    });
  });

  it.each([
    ['without a zone, for whose record somebody else cares', undefined, []],
    ['in a zone', zone, ['AWS::Route53::RecordSet']],
  ])('has the certificate in the settings, if there is one, %s', (_, own, records) => {
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const given = templateOf('dev', { customDomain: { name, certificate, ...(own && { zone: own }) } });
    expect(typesOf(given, 'AWS::CertificateManager')).toEqual([]);
    expect(theOnly(given, 'AWS::ApiGateway::DomainName').RegionalCertificateArn).toBe(certificate);
    expect(typesOf(given, 'AWS::Route53')).toEqual(records);
  });
});
