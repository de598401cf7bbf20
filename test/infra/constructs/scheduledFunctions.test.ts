import { describe, expect, it } from 'vitest';
import { anonymousChecks } from '../../../admin/smoke/checks.ts';
import { heartbeatTimeout } from '../../../admin/smoke/heartbeatHandler.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { synthesise } from '../../../local/template/synthesise.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { resourcesOf, statementsOf, templateOf, theOnly } from '../templateOf.ts';

/** One whose API has a custom domain and whose table a key. */
const template = templateOf('prod', optionalSettings);
const idOf = (name: string, of = template) =>
  resourcesOf(of, 'AWS::Lambda::Function').find(([id]) => id.startsWith(name))?.[0] ?? '';
const [heartbeat, verification] = [idOf('heartbeat'), idOf('verification')];
const actionsOf = (id: string) => statementsOf(template, id).map(({ Action, Resource }) => [Action, Resource]);
const ofLog = [['logs:CreateLogStream', 'logs:PutLogEvents'], expect.anything()];

it.each([
  ['heartbeat', 'once in every minute', heartbeat, 'cron(* * * * ? *)'],
  ['verification', 'every day', verification, 'cron(0 4 * * ? *)'],
])('the %s runs %s, and is not retried when it fails', (_name, _when, id, schedule) => {
  const rules = resourcesOf(template, 'AWS::Events::Rule').map(([, { Properties }]) => Properties);
  expect(rules).toContainEqual({
    ScheduleExpression: schedule,
    State: 'ENABLED',
    Tags: expect.anything(),
    Targets: [{ Arn: { 'Fn::GetAtt': [id, 'Arn'] }, Id: expect.anything(), RetryPolicy: { MaximumRetryAttempts: 0 } }],
  });
});

it.each([
  ['heartbeat', { heartbeatToken: '/catalog/dev/heartbeat-token' }],
  ['verification', { verification: true }],
] as const)('the %s is omitted without its setting, and in the local service', (name, setting) => {
  expect(idOf(name, templateOf('dev'))).toBe('');
  expect(idOf(name, templateOf('dev', setting))).not.toBe('');
  const { template: local, remove } = synthesise(false, setting);
  remove();
  expect(JSON.stringify(local)).not.toContain('AWS::Events::Rule');
});

describe('the heartbeat', () => {
  const { Environment, Timeout } = theOnly(template, heartbeat);

  it("calls the API's public address, the custom domain if there is one, and knows the allowed origins", () => {
    const variables = {
      CATALOG_URL: 'https://api.example.com/',
      CATALOG_TABLE: { Ref: 'table' },
      CATALOG_CORS_ORIGINS: settingsOf('prod').corsOrigins.join(),
      CATALOG_HEARTBEAT_TOKEN: '/catalog/prod/heartbeat-token',
      NODE_OPTIONS: '--enable-source-maps',
    };
    expect(Environment.Variables).toEqual(variables);
    const plain = templateOf('prod');
    const CATALOG_URL = plain.toJSON()['Outputs'].ApiUrl.Value;
    expect(theOnly(plain, heartbeat).Environment.Variables).toEqual({ ...variables, CATALOG_URL });
  });

  it('is deployed after the API whose responses it expects, also at a custom domain', () => {
    const [[stage] = []] = resourcesOf(template, 'AWS::ApiGateway::Stage');
    expect(template.findResources('AWS::Lambda::Function')[heartbeat]?.['DependsOn']).toContain(stage);
  });

  it('can read its token, and cannot reach the table', () => {
    const parameter = 'arn:aws:ssm:eu-central-1:111122223333:parameter/catalog/prod/heartbeat-token';
    expect(actionsOf(heartbeat)).toEqual([ofLog, ['ssm:GetParameter', parameter]]);
  });

  it('reports an API that hangs before its own time runs out', () => {
    expect(Timeout * 1000).toBeGreaterThan(anonymousChecks().length * heartbeatTimeout + 5_000);
  });
});

it('the verification can read the table for 15 minutes and use its key, and writes nothing but its log', () => {
  const { Environment, Timeout } = theOnly(template, verification);
  expect([Timeout, Environment.Variables.CATALOG_TABLE]).toEqual([15 * 60, { Ref: 'table' }]);
  const reading = ['DescribeTable', 'GetItem', 'Query', 'Scan'].map((name) => `dynamodb:${name}`);
  expect(actionsOf(verification)).toEqual([
    ofLog,
    [reading, { 'Fn::GetAtt': ['table', 'Arn'] }],
    [expect.arrayContaining(['kms:Decrypt']), optionalSettings.tableKey],
  ]);
});
