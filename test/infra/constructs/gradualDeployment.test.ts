import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import { CatalogStack } from '../../../infra/catalogStack.ts';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { type Settings, settingsOf } from '../../../infra/environments.ts';
import { functionServing, type Operation, operations } from '../../../lib/http/operations.ts';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { propertiesOf, resourcesOf, templateWith, theOnly } from '../templateOf.ts';

const gradual = { gradualDeployment: 'Linear10PercentEvery1Minute' } as const;
const first = templateWith(gradual);
const second = templateWith({ ...gradual, memory: 768 });
const without = templateWith({ gradualDeployment: undefined });

const aliases = (template: Template) => resourcesOf(template, 'AWS::Lambda::Alias');
const versions = (template: Template) => resourcesOf(template, 'AWS::Lambda::Version').map(([id]) => id);
const updatePolicy = (template: Template, alias: string) => template.toJSON()['Resources'][alias].UpdatePolicy;

/** The alias of each function, by the function's logical id. */
const aliasOf = new Map(aliases(first).map(([id, { Properties }]) => [Properties.FunctionName.Ref, id]));

describe('the first deployment with gradual deployments', () => {
  it('puts a published version of every function, the authorizer included, behind an alias', () => {
    expect([...aliasOf.keys()]).toEqual([...functionNames, 'recordChanges']);
    for (const [, { Properties }] of aliases(first)) {
      expect(Properties).toMatchObject({
        Name: 'live',
        FunctionVersion: { 'Fn::GetAtt': [expect.any(String), 'Version'] },
      });
    }
  });

  it('keeps the logical ids of the functions, by which SAM finds them', () => {
    expect(resourcesOf(first, 'AWS::Lambda::Function').map(([id]) => id)).toEqual([
      ...functionNames,
      'recordChanges',
      'applyAccount',
    ]);
  });

  it('makes the API and the stream invoke only the aliases', () => {
    const methods = propertiesOf(first, 'AWS::ApiGateway::Method').filter(({ Integration }) => Integration.Uri);
    const uris = [
      ...methods.map(({ Integration }) => Integration.Uri),
      theOnly(first, 'AWS::ApiGateway::Authorizer').AuthorizerUri,
    ];
    const invoked = uris.map((uri) => uri['Fn::Join'][1].findLast((part: object) => typeof part === 'object').Ref);
    const { FunctionName } = theOnly(first, 'AWS::Lambda::EventSourceMapping');
    expect(FunctionName.Ref).toBe(aliasOf.get('recordChanges'));
    invoked.push(FunctionName.Ref);
    expect(new Set(invoked)).toEqual(new Set(aliasOf.values()));
    const permissions = propertiesOf(first, 'AWS::Lambda::Permission');
    const called = new Set([...permissions.map((permission) => permission.FunctionName.Ref), FunctionName.Ref]);
    expect(called).toEqual(new Set(aliasOf.values()));
  });
});

describe('a later deployment', () => {
  it('publishes new versions, and changes nothing else about aliases and API', () => {
    expect(versions(second).filter((id) => versions(first).includes(id))).toEqual([]);
    expect(aliases(second).map(([id]) => id)).toEqual([...aliasOf.values()]);
    for (const type of ['AWS::ApiGateway::Deployment', 'AWS::ApiGateway::Method', 'AWS::Lambda::Permission'])
      expect(resourcesOf(second, type)).toEqual(resourcesOf(first, type));
  });

  it('publishes no version if no function has changed', () => {
    expect(versions(templateWith({ ...gradual, logDays: 14 }))).toEqual(versions(first));
  });

  it('keeps the versions before it, but none of a deployment that fails, whose repetition would not publish it again', () => {
    for (const [, version] of resourcesOf(first, 'AWS::Lambda::Version'))
      expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  it('takes 10 minutes in staging and 20 in prod, as the page about incidents says', () => {
    const steps = ['Linear10PercentEvery1Minute', 'Linear10PercentEvery2Minutes'];
    expect([settingsOf('staging'), settingsOf('prod')].map((own) => own.gradualDeployment)).toEqual(steps);
  });

  it.each(functionNames)('of %s shifts traffic in the steps in the settings', (name) => {
    const { CodeDeployLambdaAliasUpdate } = updatePolicy(second, aliasOf.get(name) ?? '');
    expect(theOnly(second, CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref)).toMatchObject({
      ApplicationName: CodeDeployLambdaAliasUpdate.ApplicationName,
      DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute',
    });
  });
});

describe('a rollback', () => {
  const groups = propertiesOf(first, 'AWS::CodeDeploy::DeploymentGroup');
  const alarmsOf = (group: (typeof groups)[number]) =>
    group.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => theOnly(first, Name.Ref));

  it('starts automatically when a deployment fails, is stopped, or sets off an alarm', () => {
    expect(groups).toHaveLength(aliasOf.size);
    for (const { AutoRollbackConfiguration } of groups)
      expect(AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
  });

  const ofTable = [{ Name: 'table', Value: { Ref: 'table' } }];
  it.each(functionNames)('of %s is triggered by what callers get, for many or few requests', (name) => {
    expect(alarmsOf(groups[functionNames.indexOf(name)])).toMatchObject(
      [
        { MetricName: '5XXError', Statistic: 'Average', Threshold: 0.01, DatapointsToAlarm: 1 },
        { MetricName: '5XXError', Statistic: 'Sum', Threshold: 3, DatapointsToAlarm: 1 },
        { MetricName: 'Latency', ExtendedStatistic: 'p99', Threshold: 2000, DatapointsToAlarm: 2 },
        { MetricName: 'Latency', ExtendedStatistic: 'TC(2000:)', Threshold: 3, DatapointsToAlarm: 2 },
        // The percentage of batches of which more than one row failed: one damaged item cannot fail more.
        {
          MetricName: 'FailedRows',
          ExtendedStatistic: 'PR(1:)',
          Threshold: 1,
          DatapointsToAlarm: 1,
          Dimensions: ofTable,
        },
      ].map((alarm) => ({
        ComparisonOperator: 'GreaterThanThreshold',
        Period: 60,
        EvaluationPeriods: 3,
        Dimensions: [{ Name: 'ApiName', Value: 'changed' }],
        ...alarm,
      })),
    );
  });

  it('is not triggered without requests', () => {
    for (const alarm of groups.flatMap(alarmsOf)) expect(alarm.TreatMissingData).toBe('notBreaching');
  });
});

describe('a deployment at once', () => {
  const app = createApp({ environment: 'dev', bundling: false });
  const settings: Settings = { ...settingsOf('dev'), ...gradual };
  const atOnce = Template.fromStack(
    new CatalogStack(app, 'changed', 'dev', settings, { atOnce: true, commit: 'unknown' }),
  );

  it('keeps aliases and deployment groups, and checks no alarm', () => {
    expect(aliases(atOnce).map(([id]) => id)).toEqual([...aliasOf.values()]);
    for (const [id] of aliases(atOnce)) expect(updatePolicy(atOnce, id)).toBeUndefined();
    expect(resourcesOf(atOnce, 'AWS::CodeDeploy::DeploymentGroup')).toHaveLength(aliasOf.size);
  });
});

describe('a stack without gradual deployments', () => {
  it('has no versions, no aliases and no CodeDeploy resources', () => {
    expect(aliases(without)).toEqual([]);
    expect(versions(without)).toEqual([]);
    expect(resourcesOf(without).filter(([, { Type }]) => Type.startsWith('AWS::CodeDeploy'))).toEqual([]);
  });
});

it('the local service invokes the functions behind the aliases', () => {
  const { api, functions } = readDeployment(first.toJSON(), 'local-table');
  expect(functions.map(({ id }) => id)).toEqual([...functionNames, 'recordChanges', 'applyAccount']);
  const guarded = api.routes.flatMap(({ authorizer, integration }) =>
    authorizer && integration.type === 'AWS_PROXY' ? [`${authorizer.function.id} ${integration.function.id}`] : [],
  );
  expect(new Set(guarded)).toEqual(
    new Set(Object.keys(operations).map((name) => `authorizer ${functionServing(name as Operation)}`)),
  );
});
