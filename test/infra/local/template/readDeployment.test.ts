import { describe, expect, test } from 'vitest';
import { createApp } from '../../../../infra/catalogApp.ts';
import { readDeployment } from '../../../../infra/local/template/readDeployment.ts';
import { routes } from '../../../../lib/http/routes.ts';
import { type SampleResources, sampleResources, sampleTemplate } from './sampleTemplate.ts';

const read = (changed: SampleResources) =>
  readDeployment(sampleTemplate({ ...sampleResources, ...changed }), 'local-table');

/** The sample with further properties on one resource. */
const withProperties = (id: keyof typeof sampleResources, properties: object): SampleResources => ({
  [id]: { ...sampleResources[id], Properties: { ...sampleResources[id].Properties, ...properties } },
});

describe('a template', () => {
  test('gives the table, with the attribute that records expire by', () => {
    expect(read({}).table).toEqual({
      schema: {
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      },
      expiryAttribute: 'expires_at',
    });
  });

  test('gives the functions, with references to the table as its local name', () => {
    expect(read({}).functions.find(({ id }) => id === 'work')).toEqual({
      id: 'work',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:work',
      module: 'index',
      entry: 'handler',
      asset: 'asset.abc123',
      timeoutMs: 10_000,
      memoryMb: 256,
      environment: { TABLE: 'local-table', MODE: 'plain' },
    });
  });

  test('gives the routes with what stands before and behind them', () => {
    const found = read({}).api.routes.find(({ method }) => method === 'PUT');
    expect(found).toMatchObject({
      resource: '/things/{id}',
      authorizer: { type: 'REQUEST', function: { id: 'guard' }, identityHeaders: ['authorization'], cacheSeconds: 60 },
      integration: { type: 'AWS_PROXY', function: { id: 'work' }, timeoutMs: 29_000 },
    });
  });

  test('of the real stack has the two operations behind its authorizer, and nothing that is not supported', () => {
    const [stack] = createApp({ environment: 'dev', bundling: false }).synth().stacks;
    const guarded = readDeployment(stack?.template, 'local-table').api.routes.filter(({ authorizer }) => authorizer);
    expect(guarded.map(({ method, resource }) => ({ method, path: resource }))).toEqual(Object.values(routes));
  });
});

describe('what the local gateway cannot do is refused by name', () => {
  test.each<[string, SampleResources, RegExp]>([
    ['a type', { plan: { Type: 'AWS::ApiGateway::UsagePlan', Properties: {} } }, /AWS::ApiGateway::UsagePlan/],
    ['a second API', { other: sampleResources.api }, /one AWS::ApiGateway::RestApi/],
    ['a property', withProperties('putThing', { RequestValidatorId: 'x' }), /RequestValidatorId .* putThing/],
    ['an API key', withProperties('putThing', { ApiKeyRequired: true }), /ApiKeyRequired .* putThing/],
    ['an integration', withProperties('postOpen', { Integration: { Type: 'HTTP' } }), /Integration.* postOpen/],
    ['a greedy path', withProperties('thing', { PathPart: '{all+}' }), /PathPart .* thing/],
    ['an index', withProperties('table', { GlobalSecondaryIndexes: [] }), /GlobalSecondaryIndexes .* table/],
    [
      'a template language',
      withProperties('noRoute', { ResponseTemplates: { 'application/json': '#set($a = 1)' } }),
      /#set/,
    ],
    [
      'a variable',
      withProperties('noRoute', { ResponseTemplates: { 'application/json': '$context.stage' } }),
      /context.stage/,
    ],
    [
      'an identity source',
      withProperties('caching', { IdentitySource: 'context.identity.sourceIp' }),
      /context.identity.sourceIp/,
    ],
    [
      'a computed header',
      withProperties('noRoute', { ResponseParameters: { 'gatewayresponse.header.a': 'method.request.header.b' } }),
      /method.request.header.b/,
    ],
    [
      'a function of the template',
      withProperties('thing', { ParentId: { 'Fn::ImportValue': 'x' } }),
      /Fn::ImportValue/,
    ],
    ['a reference', withProperties('thing', { ParentId: { Ref: 'nowhere' } }), /nowhere/],
    ['an attribute', withProperties('thing', { ParentId: { 'Fn::GetAtt': ['table', 'Arn'] } }), /table\.Arn/],
  ])('%s', (_, changed, message) => {
    expect(() => read(changed)).toThrow(message);
  });
});
