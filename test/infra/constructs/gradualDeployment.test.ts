import { describe, expect, it, vi } from 'vitest';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { propertiesOf, resourcesOf, statementsOf, templateOf, theOnly } from '../templateOf.ts';

const gradual = { gradualDeployment: 'Linear10PercentEvery1Minute' } as const;
const heartbeatToken = '/catalog/test/heartbeat-token';
const first = templateOf('dev', { ...gradual, heartbeatToken });
/** What only callers and the stream invoke. */
const withoutHeartbeat = templateOf('dev', gradual);
const second = templateOf('dev', { ...gradual, heartbeatToken, memory: settingsOf('dev').memory + 1 });

/** The aliases of a template, each with all of its parts. */
const aliasesOf = (template: typeof first) => Object.entries(template.findResources('AWS::Lambda::Alias'));
const aliases = aliasesOf(first);
const versions = (template: typeof first) => resourcesOf(template, 'AWS::Lambda::Version').map(([id]) => id);
/** The functions that callers reach, the authorizer included. */
const shifted = [...functionNames, 'recordChanges'];
/** The alias of each function, by the function's logical id. */
const aliasOf = new Map(aliases.map(([id, { Properties }]) => [Properties.FunctionName.Ref, id]));

describe('the first deployment with gradual deployments', () => {
  it('puts a published version of every function, the authorizer included, behind an alias', () => {
    expect([...aliasOf.keys()]).toEqual(shifted);
    const [Name, FunctionVersion] = ['live', { 'Fn::GetAtt': [expect.any(String), 'Version'] }];
    for (const [, { Properties }] of aliases) expect(Properties).toMatchObject({ Name, FunctionVersion });
  });

  it('makes the API and the stream invoke only the aliases', () => {
    const authorizer = theOnly(withoutHeartbeat, 'AWS::ApiGateway::Authorizer');
    const uris = propertiesOf(withoutHeartbeat, 'AWS::ApiGateway::Method').flatMap(
      ({ Integration }) => Integration.Uri ?? [],
    );
    const invoked = [...uris, authorizer.AuthorizerUri].map(
      (uri) => uri['Fn::Join'][1].findLast((part: object) => typeof part === 'object').Ref,
    );
    const permitted = propertiesOf(withoutHeartbeat, 'AWS::Lambda::Permission').map(
      ({ FunctionName }) => FunctionName.Ref,
    );
    const { FunctionName } = theOnly(withoutHeartbeat, 'AWS::Lambda::EventSourceMapping');
    expect(FunctionName.Ref).toBe(aliasOf.get('recordChanges'));
    for (const called of [invoked, permitted])
      expect(new Set([...called, FunctionName.Ref])).toEqual(new Set(aliasOf.values()));
  });

  it('keeps the ids by which SAM finds the functions, and which the local service invokes', () => {
    const { functions } = readDeployment(withoutHeartbeat.toJSON(), 'local-table');
    expect(functions.map(({ id }) => id)).toEqual(expect.arrayContaining([...shifted, 'applyAccount']));
  });
});

describe('a later deployment', () => {
  it('publishes new versions, and changes nothing else about aliases and API', () => {
    expect(versions(second).filter((id) => versions(first).includes(id))).toEqual([]);
    expect(aliasesOf(second).map(([id]) => id)).toEqual([...aliasOf.values()]);
    for (const type of ['AWS::ApiGateway::Deployment', 'AWS::ApiGateway::Method', 'AWS::Lambda::Permission'])
      expect(resourcesOf(second, type)).toEqual(resourcesOf(first, type));
  });

  it('publishes no version if no function has changed', () => {
    expect(versions(templateOf('dev', { ...gradual, heartbeatToken, logDays: 14 }))).toEqual(versions(first));
  });

  it('keeps the versions before it, but none of a failed deployment, whose repetition would not publish it', () => {
    for (const [, version] of resourcesOf(first, 'AWS::Lambda::Version'))
      expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  it('takes 10 minutes in staging and 20 in prod, as the page about incidents says', () => {
    const steps = ['Linear10PercentEvery1Minute', 'Linear10PercentEvery2Minutes'];
    expect([settingsOf('staging'), settingsOf('prod')].map((own) => own.gradualDeployment)).toEqual(steps);
  });

  const alarms = resourcesOf(first, 'AWS::CloudWatch::Alarm').map(([id]) => id);
  it.each(shifted)('of %s shifts traffic in steps, and rolls back on a failure, a stop or an alarm', (name) => {
    const { CodeDeployLambdaAliasUpdate: update } = first.toJSON()['Resources'][aliasOf.get(name) ?? ''].UpdatePolicy;
    expect(alarms.map((id) => id.slice(0, -8))).toEqual(
      ['serverErrors', 'failedRequests', 'slowResponses', 'slowRequests', 'failedRows'].map((id) => `deployment${id}`),
    );
    expect(theOnly(first, update.DeploymentGroupName.Ref)).toMatchObject({
      ApplicationName: update.ApplicationName,
      DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute',
      AlarmConfiguration: { Enabled: true, Alarms: alarms.map((Ref) => ({ Name: { Ref } })) },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
  });
});

it('a deployment at once keeps aliases and deployment groups, and checks no alarm', () => {
  vi.stubEnv('CDK_CONTEXT_JSON', '{"atOnce":true}');
  const atOnce = templateOf('dev', { ...gradual, heartbeatToken });
  expect(aliasesOf(atOnce).map(([id]) => id)).toEqual([...aliasOf.values()]);
  for (const [, alias] of aliasesOf(atOnce)) expect(alias).not.toHaveProperty('UpdatePolicy');
  expect(resourcesOf(atOnce, 'AWS::CodeDeploy::DeploymentGroup')).toHaveLength(aliasOf.size);
});

describe('the check of new versions', () => {
  const id = resourcesOf(first, 'AWS::Lambda::Function').find(([name]) => name.includes('check'))?.[0] ?? '';

  it('runs before any function gets traffic, once CodeDeploy may invoke it and it may invoke the versions', () => {
    const granted = resourcesOf(first, 'AWS::IAM::Policy').flatMap(([policy, { Properties }]) =>
      JSON.stringify(Properties).includes('lambda:InvokeFunction') ? [policy] : [],
    );
    expect(granted).toHaveLength(2);
    for (const [, { UpdatePolicy, DependsOn }] of aliases) {
      expect(UpdatePolicy.CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook).toEqual({ Ref: id });
      expect(DependsOn).toEqual(expect.arrayContaining(granted));
    }
  });

  it('knows the versions that the aliases will point to, and so does a rollback', () => {
    const { Versions, CheckNewVersionsFunction } = first.toJSON()['Outputs'];
    expect(theOnly(first, id).Environment.Variables.CATALOG_VERSIONS).toEqual(Versions.Value);
    expect(CheckNewVersionsFunction.Value).toEqual({ Ref: id });
    const text = Versions.Value['Fn::Join'][1].map((part: { Ref: string } | string) =>
      typeof part === 'string' ? part : part.Ref,
    );
    expect(Object.entries(JSON.parse(text.join('')))).toEqual(
      aliases.map(([, { Properties }]) => [Properties.FunctionName.Ref, Properties.FunctionVersion['Fn::GetAtt'][0]]),
    );
  });

  it('may invoke versions, read the token and report to CodeDeploy, and nothing else', () => {
    const allowed = statementsOf(first, id).map(({ Action, Resource }) => [Action, Resource]);
    const versionsOf = (name: string) => ({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [name, 'Arn'] }, ':*']] });
    const { 'ssm:GetParameter': token, ...others } = Object.fromEntries(allowed);
    expect(others).toEqual({
      'logs:CreateLogStream,logs:PutLogEvents': expect.anything(),
      'lambda:InvokeFunction': shifted.toSorted().map(versionsOf),
      'codedeploy:PutLifecycleEventHookExecutionStatus': expect.anything(),
    });
    expect(JSON.stringify(token)).toContain(`:parameter${heartbeatToken}"`);
    expect(JSON.stringify(others)).toContain(':deploymentgroup:');
  });

  it('does not exist without a token', () => {
    const without = templateOf('dev', gradual);
    expect(resourcesOf(without, 'AWS::Lambda::Function').map(([name]) => name)).toEqual([...shifted, 'applyAccount']);
    expect(JSON.stringify(without.toJSON())).not.toContain('BeforeAllowTrafficHook');
  });
});
