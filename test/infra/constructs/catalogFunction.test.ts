import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { settingsOf } from '../../../infra/environments.ts';
import { deadlineOf } from '../../../lib/catalog/requestContext.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import {
  functionOf,
  propertiesOf,
  resourcesOf,
  statementsOf,
  templateOf,
  templateWith,
  theOnly,
} from '../templateOf.ts';

const ids = [
  'createItem',
  'updateItem',
  'writeItems',
  'getItem',
  'listItems',
  'listChanges',
  'getCatalog',
  'configureCatalog',
  'authorizer',
] as const;
/** With those that the API does not invoke. */
const all = [...ids, 'recordChanges', 'applyAccount'];
/** Without the functions that are not part of the API. */
const template = templateOf('prod', { heartbeat: false, heartbeatToken: undefined, verification: false });

it('the stack has exactly these functions, under their own logical ids', () => {
  expect(resourcesOf(template, 'AWS::Lambda::Function').map(([id]) => id)).toEqual(all);
});

it.each([
  ['x86_64', 'x86_64'],
  ['aarch64', 'arm64'],
])('on a machine that reports %s, the functions can be synthesised for it', (architecture, expected) => {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ architecture }));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const { Architectures } of propertiesOf(templateWith({}), 'AWS::Lambda::Function'))
    expect(Architectures).toEqual([expected]);
});

it('those that AWS starts itself have their names for SAM, which has those of a schedule also where no setting asks for them', () => {
  const named = (of: typeof template) =>
    Object.values(of.findResources('AWS::Lambda::Function')).flatMap(
      (resource) => resource['Metadata']?.SamResourceId ?? [],
    );
  expect(named(templateOf('prod'))).toEqual(['checkNewVersions', 'heartbeat', 'verifyTable']);
  expect(named(templateWith({}))).toEqual([]);
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ architecture: 'aarch64' }));
  onTestFinished(() => void vi.unstubAllEnvs());
  const forSam = templateWith({});
  expect(named(forSam)).toEqual(['heartbeat', 'verifyTable']);
  const urls = propertiesOf(forSam, 'AWS::Lambda::Function').flatMap(
    ({ Environment: { Variables } }) => Variables.CATALOG_URL ?? [],
  );
  expect(urls).toEqual(['http://host.docker.internal:3000/']);
});

describe.each(ids)('%s', (id) => {
  const properties = theOnly(template, id);

  it('runs on Node 24 on arm64, with the memory and concurrency in the settings', () => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: settingsOf('prod').memory,
      ReservedConcurrentExecutions:
        { configureCatalog: 10, listChanges: 20, writeItems: 10 }[id as string] ??
        settingsOf('prod').reservedConcurrency,
    });
  });

  it('declares all variables that the code reads, so that sam local invoke can set them', () => {
    expect(properties.Environment.Variables).toEqual({
      CATALOG_TABLE: { Ref: 'table' },
      CATALOG_CORS_ORIGINS: settingsOf('prod').corsOrigins.join(),
      AWS_ENDPOINT_URL_DYNAMODB: '',
    });
  });

  it("logs JSON to its own log group, with the retention in the settings, and without Lambda's lines about success", () => {
    expect(properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
    // At another level, Lambda would drop lines of ours.
    expect(properties.LoggingConfig).not.toHaveProperty('ApplicationLogLevel');
    expect(theOnly(template, properties.LoggingConfig.LogGroup.Ref).RetentionInDays).toBe(settingsOf('prod').logDays);
  });

  it("answers before Lambda's timeout, which is shorter than the gateway's", () => {
    const stopped = properties.Timeout * 1000;
    expect(properties.Timeout).toBe(10);
    expect(deadlineOf(0, stopped)).toBeLessThan(stopped);
    const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
    const proxies = methods.filter(({ Integration }) => Integration.Type === 'AWS_PROXY');
    expect(proxies).not.toEqual([]);
    for (const { Integration } of proxies) expect(Integration.TimeoutInMillis).toBeGreaterThan(stopped);
  });
});

describe('the log groups of the functions', () => {
  it('are separate', () => {
    const groups = all.map((id) => theOnly(template, id).LoggingConfig.LogGroup.Ref);
    expect(new Set(groups).size).toBe(all.length);
  });
});

describe('permissions', () => {
  const table = { 'Fn::GetAtt': ['table', 'Arn'] };
  const allowed = (Action: string | string[], keys: string, Resource: object = table) => ({
    Effect: 'Allow',
    Action,
    Resource,
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] } },
  });
  /** The pattern of configurations also matches all other records of accounts. */
  const denied = (Action: string | string[], keys: string) => ({
    Effect: 'Deny',
    Action,
    Resource: table,
    Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [keys] } },
  });
  const configurationWrites = [
    'dynamodb:ConditionCheckItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ];
  const configuration = [allowed('dynamodb:Query', 'ACCOUNT#*'), denied('dynamodb:Query', 'ACCOUNT#*#*')];

  const index = { 'Fn::Join': ['', [table, '/index/by_name']] };

  it.each([
    [
      'createItem',
      [
        ...configuration,
        allowed('dynamodb:GetItem', 'ACCOUNT#*#IDEMPOTENCY#*'),
        allowed('dynamodb:UpdateItem', 'ACCOUNT#*#COUNTER'),
        allowed('dynamodb:PutItem', 'ACCOUNT#*#*'),
      ],
    ],
    [
      'updateItem',
      [
        ...configuration,
        allowed('dynamodb:GetItem', 'ACCOUNT#*#ITEMS'),
        allowed(['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], 'ACCOUNT#*#*'),
      ],
    ],
    [
      'writeItems',
      [
        ...configuration,
        allowed(['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], 'ACCOUNT#*#*'),
      ],
    ],
    ['getItem', [...configuration, allowed('dynamodb:GetItem', 'ACCOUNT#*#ITEMS')]],
    [
      'listItems',
      [
        ...configuration,
        allowed('dynamodb:Query', 'ACCOUNT#*#NAMES', index),
        allowed(['dynamodb:BatchGetItem', 'dynamodb:GetItem'], 'ACCOUNT#*#ITEMS'),
        allowed('dynamodb:GetItem', 'ACCOUNT#*#SKU#*'),
        allowed('dynamodb:GetItem', 'ACCOUNT#*#PN#*'),
      ],
    ],
    [
      'listChanges',
      [
        ...configuration,
        allowed(['dynamodb:GetItem', 'dynamodb:Query'], 'ACCOUNT#*#CHANGES', { 'Fn::GetAtt': ['changes', 'Arn'] }),
      ],
    ],
    ['getCatalog', configuration],
    ['authorizer', [allowed('dynamodb:GetItem', 'TOKEN#*')]],
    ...['configureCatalog', 'applyAccount'].map((id): [string, object[]] => [
      id,
      [allowed(configurationWrites, 'ACCOUNT#*'), denied(configurationWrites, 'ACCOUNT#*#*')],
    ]),
  ])('of %s allow exactly these actions on these records', (id, statements) => {
    const { LoggingConfig, Role } = theOnly(template, id);
    expect(onlyAttached(Role['Fn::GetAtt'][0])).toEqual([
      ...statements,
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': [LoggingConfig.LogGroup.Ref, 'Arn'] },
      },
    ]);
  });

  it('of recordChanges allow it to read the stream and to write changes', () => {
    const { Role } = theOnly(template, 'recordChanges');
    const changes = { 'Fn::GetAtt': ['changes', 'Arn'] };
    const stream = { 'Fn::GetAtt': ['table', 'StreamArn'] };
    const reading = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
    const statements = onlyAttached(Role['Fn::GetAtt'][0]);
    expect(statements).toEqual(
      expect.arrayContaining([
        allowed(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], 'ACCOUNT#*#CHANGES', changes),
        { Effect: 'Allow', Action: 'dynamodb:ListStreams', Resource: '*' },
        { Effect: 'Allow', Action: reading, Resource: stream },
      ]),
    );
    const actions = (statements as { Action: string | string[] }[]).flatMap(({ Action }) => Action);
    const logs = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    const writing = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:ListStreams'];
    expect(actions.toSorted()).toEqual([...writing, ...reading, ...logs].toSorted());
  });

  it('belong to a separate role for each function', () => {
    const roles = all.map((id) => theOnly(template, id).Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(all.length);
    expect(propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ Roles }) => Roles)).toEqual(
      roles.map((role) => ({ Ref: role })),
    );
    expect(theOnly(template, 'table').ResourcePolicy).toBeUndefined();
  });

  it('to invoke a function belong to API Gateway', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(new Set(permissions.map(({ FunctionName }) => functionOf(template, FunctionName)))).toEqual(new Set(ids));
    for (const { Principal } of permissions) expect(Principal).toBe('apigateway.amazonaws.com');
  });
});

it('only the authorizer gets the identity provider in the settings', () => {
  const identity = identitySettings.parse({
    issuer: 'https://login.example.com',
    audience: 'catalog',
    claims: { permissions: 'scope' },
  });
  const withProvider = templateWith({ identity });
  const given = ids.map((id) => theOnly(withProvider, id).Environment.Variables.CATALOG_IDENTITY);
  expect(given).toEqual(ids.map((id) => (id === 'authorizer' ? JSON.stringify(identity) : undefined)));
});

it('the stack outputs the name of the function that applies account documents, which reserves a little concurrency', () => {
  expect(template.toJSON()['Outputs'].ApplyAccountFunction.Value).toEqual({ Ref: 'applyAccount' });
  expect(theOnly(template, 'applyAccount').ReservedConcurrentExecutions).toBe(10);
});

it('a function reserves no concurrency if the settings have none', () => {
  const open = templateWith({ reservedConcurrency: undefined });
  for (const id of ['createItem', 'applyAccount', 'recordChanges'])
    expect(theOnly(open, id)).not.toHaveProperty('ReservedConcurrentExecutions');
});

function onlyAttached(role: string): unknown[] {
  const { ManagedPolicyArns, Policies } = theOnly(template, role);
  expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
  return statementsOf(template, role);
}
