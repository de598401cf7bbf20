import { describe, expect, it, vi } from 'vitest';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { deadlineOf } from '../../../lib/catalog/requestContext.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { functionOf, type Json, propertiesOf, resourcesOf, statementsOf, templateOf, theOnly } from '../templateOf.ts';

const template = templateOf('prod');
const settings = settingsOf('prod');
/** With those that the API does not invoke. */
const all = [...functionNames, 'recordChanges', 'applyAccount'];

it('the stack has exactly these functions by their logical ids, besides those that AWS starts itself', () => {
  const ids = resourcesOf(template, 'AWS::Lambda::Function').map(([id]) => id);
  const internal = ['deploymentcheckfunction', 'heartbeatfunction', 'verificationfunction'];
  expect(ids.map((id) => (all.includes(id) ? id : id.slice(0, -8))).sort()).toEqual([...all, ...internal].sort());
});

it.each([
  ['x86_64', 'x86_64'],
  ['aarch64', 'arm64'],
])('on a machine that reports %s, the functions can be synthesised for it', (architecture, expected) => {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ architecture }));
  for (const { Architectures } of propertiesOf(templateOf('dev'), 'AWS::Lambda::Function'))
    expect(Architectures).toEqual([expected]);
});

it('those that AWS starts itself have names for SAM, also where no setting asks for their schedule', () => {
  const named = (of: typeof template) =>
    Object.values(of.findResources('AWS::Lambda::Function')).flatMap(
      (resource) => resource['Metadata']?.SamResourceId ?? [],
    );
  expect(named(template)).toEqual(['checkNewVersions', 'heartbeat', 'verifyTable']);
  expect(named(templateOf('dev'))).toEqual([]);
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ architecture: 'aarch64' }));
  const forSam = templateOf('dev');
  expect(named(forSam)).toEqual(['heartbeat', 'verifyTable']);
  const urls = propertiesOf(forSam, 'AWS::Lambda::Function').map(
    ({ Environment }) => Environment.Variables.CATALOG_URL,
  );
  expect(urls.filter((url) => url)).toEqual(['http://host.docker.internal:3000/']);
});

describe.each(all)('%s', (id) => {
  const properties = theOnly(template, id);

  it('runs on Node 24 on arm64, and declares all variables that it reads, which sam local invoke can set', () => {
    const lowered = { configureCatalog: 10, listChanges: 20, writeItems: 44, recordChanges: 10, applyAccount: 10 };
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: settings.memory,
      Timeout: 10,
      ReservedConcurrentExecutions: lowered[id as keyof typeof lowered] ?? settings.reservedConcurrency,
    });
    expect(properties.Environment.Variables).toEqual({
      CATALOG_TABLE: { Ref: 'table' },
      CATALOG_CORS_ORIGINS: settings.corsOrigins.join(),
      AWS_ENDPOINT_URL_DYNAMODB: '',
      ...(id === 'authorizer' && { CATALOG_SHARES: '{"stack":"catalog-prod","own":["heartbeat"]}' }),
      ...(id === 'recordChanges' && { CATALOG_CHANGE_DAYS: String(settings.changeDays) }),
    });
  });

  it("logs JSON to a log group of its own, kept as the settings say, without Lambda's lines about success", () => {
    // At an application log level, Lambda would drop lines of ours.
    const { LogGroup, ...config } = properties.LoggingConfig;
    expect(config).toEqual({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
    expect(LogGroup.Ref).toMatch(new RegExp(`^${id}Logs`));
    expect(theOnly(template, LogGroup.Ref).RetentionInDays).toBe(settings.logDays);
  });
});

it("functions answer before Lambda's timeout, which is shorter than the gateway's", () => {
  expect(deadlineOf(0, 10_000)).toBeLessThan(10_000);
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
  const proxies = methods.filter(({ Integration }) => Integration.Type === 'AWS_PROXY');
  expect(proxies).not.toEqual([]);
  for (const { Integration } of proxies) expect(Integration.TimeoutInMillis).toBeGreaterThan(10_000);
});

// After a rollback, an earlier version runs under these roles. A right may go only once no version that can come back uses it.
describe('permissions', () => {
  const places: Record<string, string> = {
    '{"Fn::GetAtt":["table","Arn"]}': '',
    '{"Fn::GetAtt":["changes","Arn"]}': 'changes: ',
    '{"Fn::Join":["",[{"Fn::GetAtt":["table","Arn"]},"/index/by_name"]]}': 'by_name: ',
    '{"Fn::GetAtt":["table","StreamArn"]}': 'stream: ',
    '"*"': 'everywhere: ',
  };
  const operators: Record<string, string> = {
    'Allow ForAllValues:StringLike': 'of',
    'Deny ForAnyValue:StringLike': 'not of',
  };
  /** A statement about a table, such as `by_name: Query of ACCOUNT#*`. */
  const line = ({ Effect, Action, Resource, Condition = { '': {} }, ...more }: Json) => {
    expect(more).toEqual({});
    const actions = [Action].flat().map((action: string) => action.replace('dynamodb:', ''));
    const [[operator, { 'dynamodb:LeadingKeys': [key] = [] }], ...others] = Object.entries<Json>(Condition) as [Json];
    expect(others).toEqual([]);
    const ofKeys = key === undefined ? Effect : `${operators[`${Effect} ${operator}`]} ${key}`;
    return `${places[JSON.stringify(Resource)]}${actions.join(', ')} ${ofKeys}`;
  };
  const configuration = ['Query of ACCOUNT#*', 'Query not of ACCOUNT#*#*'];
  const configuring = ['of ACCOUNT#*', 'not of ACCOUNT#*#*'].map(
    (keys) => `ConditionCheckItem, PutItem, Query, UpdateItem ${keys}`,
  );

  it.each<[string, string[]]>([
    [
      'createItem',
      [
        ...configuration,
        'GetItem of ACCOUNT#*#IDEMPOTENCY#*',
        'UpdateItem of ACCOUNT#*#COUNTER',
        'PutItem of ACCOUNT#*#*',
      ],
    ],
    ['updateItem', [...configuration, 'GetItem of ACCOUNT#*#ITEMS', 'DeleteItem, PutItem, UpdateItem of ACCOUNT#*#*']],
    ['writeItems', [...configuration, 'DeleteItem, GetItem, PutItem, UpdateItem of ACCOUNT#*#*']],
    ['getItem', [...configuration, 'GetItem of ACCOUNT#*#ITEMS']],
    [
      'listItems',
      [
        ...configuration,
        'by_name: Query of ACCOUNT#*#NAMES',
        'BatchGetItem, GetItem of ACCOUNT#*#ITEMS',
        'GetItem of ACCOUNT#*#SKU#*',
        'GetItem of ACCOUNT#*#PN#*',
      ],
    ],
    ['listChanges', [...configuration, 'changes: GetItem, Query of ACCOUNT#*#CHANGES']],
    ['getCatalog', configuration],
    ['authorizer', ['GetItem of TOKEN#*']],
    ['configureCatalog', configuring],
    ['applyAccount', ['of ACCOUNT#*', 'not of ACCOUNT#*#*'].map((keys) => `ConditionCheckItem, PutItem ${keys}`)],
    [
      'recordChanges',
      [
        'changes: GetItem, PutItem, UpdateItem of ACCOUNT#*#CHANGES',
        'stream: DescribeStream, GetRecords, GetShardIterator Allow',
        'everywhere: ListStreams Allow',
      ],
    ],
  ])('of %s allow exactly these actions on these records, and to write its log', (id, expected) => {
    const statements = statementsOf(template, id);
    const ofLog = statements.findIndex(({ Resource }) => /Logs/.test(JSON.stringify(Resource)));
    expect(statements.splice(ofLog, 1)).toEqual([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': [theOnly(template, id).LoggingConfig.LogGroup.Ref, 'Arn'] },
      },
    ]);
    expect(statements.map(line).sort()).toEqual(expected.toSorted());
  });

  it('belong to a separate role for each function', () => {
    const roles = propertiesOf(template, 'AWS::Lambda::Function').map(({ Role }) => Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(roles.length);
    expect(theOnly(template, 'table').ResourcePolicy).toBeUndefined();
  });

  it('to invoke a function of the API belong to API Gateway', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ Principal }) => Principal !== 'events.amazonaws.com',
    );
    const invoked = permissions.map(({ FunctionName }) => functionOf(template, FunctionName));
    expect(new Set(invoked)).toEqual(new Set(functionNames));
    for (const { Principal } of permissions) expect(Principal).toBe('apigateway.amazonaws.com');
  });
});

it('only the authorizer gets the identity provider in the settings', () => {
  const identity = settingsOf('prod', { ...settings, ...optionalSettings }).identity;
  const withProvider = templateOf('prod', { ...optionalSettings, identity });
  const given = all.map((id) => theOnly(withProvider, id).Environment.Variables.CATALOG_IDENTITY);
  expect(given).toEqual(all.map((id) => (id === 'authorizer' ? JSON.stringify(identity) : undefined)));
});

it('a function reserves no concurrency if the settings have none', () => {
  for (const id of all) expect(theOnly(templateOf('dev'), id)).not.toHaveProperty('ReservedConcurrentExecutions');
});
