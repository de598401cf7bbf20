import { describe, expect, test } from 'vitest';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { synthesise } from '../../../local/template/synthesise.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { type SampleResources, sampleResources, sampleTemplate } from './sampleTemplate.ts';

const read = (changed: SampleResources) =>
  readDeployment(sampleTemplate({ ...sampleResources, ...changed }), 'local-table');

/** The sample with more properties on one resource. */
const withProperties = (id: keyof typeof sampleResources, properties: object): SampleResources => ({
  [id]: { ...sampleResources[id], Properties: { ...sampleResources[id].Properties, ...properties } },
});

/** The sample with another statement in the policy of the functions' role. */
const withStatement = (changed: object) => {
  const own = { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: { 'Fn::GetAtt': ['table', 'Arn'] } };
  return withProperties('policy', {
    PolicyDocument: { Version: '2012-10-17', Statement: [{ ...own, ...changed }] },
  });
};
const leadingKeys = { 'dynamodb:LeadingKeys': ['A#*'] };

/** The sample with other templates for a mock integration's response. */
const withMockResponse = (ResponseTemplates: object, ContentHandling: string | undefined = undefined) => {
  const { Integration } = sampleResources.anySpecial.Properties as {
    Integration?: { IntegrationResponses?: object[] };
  };
  const [response] = Integration?.IntegrationResponses ?? [];
  const changed = { ...response, ResponseTemplates, ContentHandling };
  return withProperties('anySpecial', { Integration: { ...Integration, IntegrationResponses: [changed] } });
};

describe('readDeployment', () => {
  test('reads dev whatever optional settings it has', () => {
    const { template, remove } = synthesise(false, { ...optionalSettings, keepsData: true });
    remove();
    expect(readDeployment(template, 'local-table').tables.size).toBe(2);
  });

  test('returns tables that are named after another one, and the functions that read their streams', () => {
    const TableName = { 'Fn::Join': ['', [{ Ref: 'table' }, '-more']] };
    const { Properties } = sampleResources.table;
    const mapping = {
      EventSourceArn: { 'Fn::GetAtt': ['more', 'StreamArn'] },
      FunctionName: { Ref: 'work' },
      StartingPosition: 'TRIM_HORIZON',
    };
    const StreamSpecification = { StreamViewType: 'NEW_AND_OLD_IMAGES' };
    const { tables, streams } = read({
      more: { ...sampleResources.table, Properties: { ...Properties, TableName, StreamSpecification } },
      mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: mapping },
    });
    expect([...tables].map(([name, { stream }]) => [name, stream])).toEqual([
      ['local-table', undefined],
      ['local-table-more', 'NEW_AND_OLD_IMAGES'],
    ]);
    expect(streams).toEqual([{ table: 'local-table-more', function: expect.objectContaining({ id: 'work' }) }]);
  });

  test('returns its indexes, without properties that do not affect requests', () => {
    const index = {
      IndexName: 'by_colour',
      KeySchema: [{ AttributeName: 'colour', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['size'] },
    };
    const indexes = [{ ...index, ContributorInsightsSpecification: { Enabled: false } }];
    const { tables } = read(withProperties('table', { GlobalSecondaryIndexes: indexes }));
    expect(tables.get('local-table')?.schema.GlobalSecondaryIndexes).toEqual([index]);
  });
});

describe('an unsupported feature is rejected by name:', () => {
  test.each<[string, SampleResources, RegExp]>([
    ['a type', { model: { Type: 'AWS::ApiGateway::Model', Properties: {} } }, /AWS::ApiGateway::Model/],
    ['no response to an error', { unauthorized: sampleResources.denied }, /response UNAUTHORIZED/],
    ['a second API', { other: sampleResources.api }, /one AWS::ApiGateway::RestApi/],
    ['a stream', withProperties('table', { StreamSpecification: { StreamViewType: 'KEYS_ONLY' } }), /Stream.* table/],
    ['a property', withProperties('putThing', { RequestValidatorId: 'x' }), /RequestValidatorId .* putThing/],
    ['an integration', withProperties('postOpen', { Integration: { Type: 'HTTP' } }), /Integration.* postOpen/],
    ['a greedy path', withProperties('thing', { PathPart: '{all+}' }), /PathPart .* thing/],
    [
      'a template language',
      withProperties('noRoute', { ResponseTemplates: { 'application/json': '#set($a = 1)' } }),
      /#set/,
    ],
    [
      'variables in a mock response',
      withMockResponse({ 'application/json': '$context.requestId' }, 'CONVERT_TO_TEXT'),
      /mock response/,
    ],
    ['a mock response that would be decoded', withMockResponse({ 'application/json': '{}' }), /mock response/],
    [
      'an identity source',
      withProperties('caching', { IdentitySource: 'context.identity.sourceIp' }),
      /IdentitySource .* caching/,
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
    ['an attribute', withProperties('thing', { ParentId: { 'Fn::GetAtt': ['table', 'Name'] } }), /table\.Name/],
    ['all actions', withStatement({ Action: '*' }), /Action.* policy/],
    ['a pattern of actions', withStatement({ Action: 'dynamodb:*Item' }), /Action.* policy/],
    ['all actions but one', withStatement({ NotAction: 'dynamodb:GetItem' }), /NotAction.* policy/],
    ['another condition', withStatement({ Condition: { StringLike: leadingKeys } }), /Condition.* policy/],
    ['a policy within a role', withProperties('role', { Policies: [{}] }), /Policies .* role/],
  ])('%s', (_, changed, message) => {
    expect(() => read(changed)).toThrow(message);
  });
});
