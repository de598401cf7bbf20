import { Template } from 'aws-cdk-lib/assertions';
import { CfnMethod } from 'aws-cdk-lib/aws-apigateway';
import type { Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { functionServing, type Operation, operations } from '../../../lib/http/operations.ts';
import { errors } from '../../../lib/item/errors.ts';
import { functionOf, propertiesOf, resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

const template = templateOf('prod');
const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
const stage = theOnly(template, 'AWS::ApiGateway::Stage');

/** The path of a resource, read from the chain of its parents. */
function pathOf({ Ref }: { Ref?: string }): string {
  if (Ref === undefined) return '';
  const { ParentId, PathPart } = theOnly(template, Ref);
  return `${pathOf(ParentId)}/${PathPart}`;
}

describe('the routes', () => {
  it('are exactly those of lib/http/operations.ts, each with its function, with one preflight per path, and a response to other methods', () => {
    const served = methods.map(({ HttpMethod, Integration, ResourceId }) => {
      const target = Integration.Uri?.['Fn::Join'][1].find((part: object) => typeof part === 'object');
      return [HttpMethod, pathOf(ResourceId), target && functionOf(template, target)];
    });
    const paths = new Set(Object.values(operations).map(({ path }) => path));
    const listed = [
      ...Object.entries(operations).map(([name, { method, path }]) => [
        method,
        path,
        functionServing(name as Operation),
      ]),
      ...Object.entries(operations).flatMap(([operation, { method, path }]) =>
        method === 'GET' ? [['HEAD', path, functionServing(operation as Operation)]] : [],
      ),
      ...[...paths].flatMap((path) => ['OPTIONS', 'ANY'].map((method) => [method, path, undefined])),
    ];
    expect(served).toEqual(expect.arrayContaining(listed));
    expect(served).toHaveLength(listed.length);
  });

  it('follow the preflight of their path, or SAM would answer 502 for them', () => {
    const paths = methods.map(({ ResourceId }) => pathOf(ResourceId));
    const firstOf = (path: string) => methods[paths.indexOf(path)].HttpMethod;
    expect([...new Set(paths)].map(firstOf)).toEqual(Array(10).fill('OPTIONS'));
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

  it('require the authorizer if they call a function', () => {
    for (const { AuthorizationType, AuthorizerId, Integration } of methods) {
      const callsFunction = Integration.Type !== 'MOCK';
      expect(AuthorizationType).toBe(callsFunction ? 'CUSTOM' : 'NONE');
      expect(AuthorizerId !== undefined).toBe(callsFunction);
    }
  });

  it('let API Gateway invoke the functions for each of their methods', () => {
    const sources = JSON.stringify(propertiesOf(template, 'AWS::Lambda::Permission').map(({ SourceArn }) => SourceArn));
    const called = methods.filter(({ Integration }) => Integration.Type !== 'MOCK');
    for (const { HttpMethod, ResourceId } of called)
      expect(sources).toContain(`"/${HttpMethod}${pathOf(ResourceId).replace('{id}', '*')}"`);
  });

  it('compress responses of 1 KiB or more, and pass bodies to the functions byte for byte', () => {
    const { MinimumCompressionSize, BinaryMediaTypes } = theOnly(template, 'AWS::ApiGateway::RestApi');
    expect([MinimumCompressionSize, BinaryMediaTypes]).toEqual([1024, ['application/json']]);
  });
});

it("the authorizer's result is cached for a minute by the Authorization header", () => {
  expect(theOnly(template, 'AWS::ApiGateway::Authorizer')).toMatchObject({
    Type: 'REQUEST',
    IdentitySource: 'method.request.header.Authorization',
    AuthorizerResultTtlInSeconds: 60,
  });
});

describe('another method on a path', () => {
  const others = methods.filter(({ HttpMethod }) => HttpMethod === 'ANY');

  it('is answered 405 in the format and with the headers of all errors, and with the methods of the path', () => {
    const [unknownRoute] = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').filter(
      ({ ResponseType }) => ResponseType === 'MISSING_AUTHENTICATION_TOKEN',
    );
    for (const { Integration, MethodResponses, ResourceId } of others) {
      const path = pathOf(ResourceId);
      const named = Object.values(operations).flatMap((route) => (route.path === path ? [route.method] : []));
      const allowed = named.includes('GET') ? [...named, 'HEAD'] : named;
      const [{ StatusCode, ResponseParameters, ResponseTemplates }] = Integration.IntegrationResponses;
      const { 'method.response.header.allow': allow, ...headers } = ResponseParameters;
      expect(allow).toBe(`'${[...allowed, 'OPTIONS'].join(', ')}'`);
      const shared = Object.entries(headers).map(([name, value]) => [name.replace('method.', 'gateway'), value]);
      expect(Object.fromEntries(shared)).toEqual(unknownRoute.ResponseParameters);
      const error = { message: errors.METHOD_NOT_ALLOWED.message, code: 'METHOD_NOT_ALLOWED' };
      expect([StatusCode, ResponseTemplates]).toEqual(['405', { 'application/json': JSON.stringify({ error }) }]);
      expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(Object.keys(ResponseParameters));
    }
  });

  it('uses nothing from the request in its response', () => {
    for (const { Integration } of others) {
      expect(Integration).toMatchObject({ PassthroughBehavior: 'NEVER', ContentHandling: 'CONVERT_TO_TEXT' });
      expect(Integration.RequestTemplates).toEqual({ 'application/json': '{"statusCode":405}' });
      expect(Integration.IntegrationResponses[0].ContentHandling).toBe('CONVERT_TO_TEXT');
    }
  });
});

describe('a preflight', () => {
  const preflights = methods.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
  const headersOf = (preflight: (typeof preflights)[number]) =>
    preflight.Integration.IntegrationResponses[0].ResponseParameters;

  it('allows the methods of its path to the origins in the settings', () => {
    const allowed = preflights.map(headersOf).map((headers) => ({
      methods: headers['method.response.header.Access-Control-Allow-Methods'],
      origin: headers['method.response.header.Access-Control-Allow-Origin'],
      vary: headers['method.response.header.Vary'],
    }));
    const [origin] = settingsOf('prod').corsOrigins;
    const ofItems = ['POST,GET,HEAD', 'PUT,GET,HEAD', 'GET,HEAD', 'POST'];
    const methodsOfPaths = [...ofItems, 'GET,HEAD', 'GET,HEAD', 'POST', 'PUT', 'POST', 'PUT'];
    expect(allowed).toEqual(
      methodsOfPaths.map((each) => ({ methods: `'${each}'`, origin: `'${origin}'`, vary: "'Origin'" })),
    );
  });

  it('allows each of several origins and no others', () => {
    const several = templateWith({ corsOrigins: ['https://one.example.com', 'https://two.example.com'] });
    const [preflight] = propertiesOf(several, 'AWS::ApiGateway::Method').filter((m) => m.HttpMethod === 'OPTIONS');
    const [response] = preflight.Integration.IntegrationResponses;
    expect(response.ResponseParameters['method.response.header.Access-Control-Allow-Origin']).toBe(
      "'https://one.example.com'",
    );
    expect(response.ResponseTemplates['application/json']).toContain('#if($origin == "https://two.example.com")');
  });

  it('converts the request to text, because it would otherwise respond with 500', () => {
    for (const { Integration } of preflights) expect(Integration.ContentHandling).toBe('CONVERT_TO_TEXT');
  });
});

describe('the stage', () => {
  it('is throttled as the settings say', () => {
    expect(stage.MethodSettings).toEqual([
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        DataTraceEnabled: false,
        ThrottlingRateLimit: settingsOf('prod').throttling.rate,
        ThrottlingBurstLimit: settingsOf('prod').throttling.burst,
      },
      expect.objectContaining({ HttpMethod: 'POST', ResourcePath: '/~1api~1v1~1api~1v1~1items~1batch' }),
    ]);
  });

  it('logs one line of JSON for each request, with the retention in the settings', () => {
    const [, arn] = stage.AccessLogSetting.DestinationArn['Fn::Join'];
    expect(theOnly(template, arn.at(-1).Ref).RetentionInDays).toBe(settingsOf('prod').logDays);
    const line = JSON.parse(stage.AccessLogSetting.Format);
    expect(line).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
  });

  it('logs nothing that a caller sent: no header, path, query or body', () => {
    const logged = Object.values(JSON.parse(stage.AccessLogSetting.Format));
    expect(logged.sort()).toEqual([
      '$context.authorizer.account',
      '$context.authorizer.latency',
      '$context.authorizer.status',
      '$context.error.responseType',
      '$context.httpMethod',
      '$context.identity.sourceIp',
      '$context.integrationLatency',
      '$context.integrationStatus',
      '$context.requestId',
      '$context.requestTimeEpoch',
      '$context.resourcePath',
      '$context.responseLatency',
      '$context.responseLength',
      '$context.status',
    ]);
  });
});

describe('TLS is 1.2 or later', () => {
  const policy = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09' };

  it('at the default endpoint', () => {
    expect(theOnly(template, 'AWS::ApiGateway::RestApi')).toMatchObject(policy);
  });

  it('at a custom domain, which replaces the default endpoint', () => {
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const own = templateWith({ customDomain: { name: 'api.example.com', certificate } });
    expect(theOnly(own, 'AWS::ApiGateway::DomainName')).toMatchObject({
      ...policy,
      DomainName: 'api.example.com',
      RegionalCertificateArn: certificate,
    });
    expect(theOnly(own, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true);
    expect(theOnly(template, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(false);
    expect(own.toJSON()['Outputs']).toMatchObject({
      ApiUrl: { Value: 'https://api.example.com/' },
      DomainTarget: { Value: { 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] } },
    });
  });
});

describe('a custom domain in a zone of Route 53', () => {
  const zone = { id: 'Z0123456789', name: 'example.com' };
  const own = templateWith({ customDomain: { name: 'api.example.com', zone } });

  it('gets its certificate from the stack, validated in the zone', () => {
    expect(theOnly(own, 'AWS::CertificateManager::Certificate')).toMatchObject({
      DomainName: 'api.example.com',
      DomainValidationOptions: [{ DomainName: 'api.example.com', HostedZoneId: zone.id }],
      ValidationMethod: 'DNS',
    });
    const { RegionalCertificateArn } = theOnly(own, 'AWS::ApiGateway::DomainName');
    expect(theOnly(own, RegionalCertificateArn.Ref).DomainName).toBe('api.example.com');
  });

  it('gets its DNS record from the stack', () => {
    const record = theOnly(own, 'AWS::Route53::RecordSet');
    expect(record).toMatchObject({ Name: 'api.example.com.', Type: 'A', HostedZoneId: zone.id });
    expect(record.AliasTarget.DNSName).toEqual({ 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] });
  });

  it('uses the certificate in the settings, if there is one', () => {
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const given = templateWith({ customDomain: { name: 'api.example.com', certificate, zone } });
    expect(propertiesOf(given, 'AWS::CertificateManager::Certificate')).toEqual([]);
    expect(theOnly(given, 'AWS::ApiGateway::DomainName').RegionalCertificateArn).toBe(certificate);
  });
});

it("the outputs are the versions, the API's address, the table's name, and the functions that commands call", () => {
  const versions = ['Versions', 'CheckNewVersionsFunction'];
  expect(Object.keys(template.toJSON()['Outputs'])).toEqual([
    ...versions,
    'ApiUrl',
    'TableName',
    'Commit',
    'ApplyAccountFunction',
  ]);
});
