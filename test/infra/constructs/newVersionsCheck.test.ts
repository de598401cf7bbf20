import { describe, expect, it } from 'vitest';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { resourcesOf, statementsOf, templateWith } from '../templateOf.ts';

const gradual = { gradualDeployment: 'Linear10PercentEvery1Minute' } as const;
const heartbeatToken = '/catalog/test/heartbeat-token';
const template = templateWith({ ...gradual, heartbeatToken });
const [id, check] = resourcesOf(template, 'AWS::Lambda::Function').find(([name]) => name.includes('check')) ?? [];
const aliases = resourcesOf(template, 'AWS::Lambda::Alias');

const versioned = [...functionNames, 'recordChanges'];

describe('the check of new versions', () => {
  it('runs before any function gets traffic', () => {
    expect(aliases).toHaveLength(versioned.length);
    for (const [name] of aliases) {
      const { CodeDeployLambdaAliasUpdate } = template.toJSON()['Resources'][name].UpdatePolicy;
      expect(CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook).toEqual({ Ref: id });
    }
  });

  it('only runs once CodeDeploy may invoke it and it may invoke the versions', () => {
    const granted = resourcesOf(template, 'AWS::IAM::Policy').flatMap(([policy, { Properties }]) =>
      JSON.stringify(Properties).includes('lambda:InvokeFunction') ? [policy] : [],
    );
    expect(granted).toHaveLength(2);
    for (const [name] of aliases)
      expect(template.toJSON()['Resources'][name].DependsOn).toEqual(expect.arrayContaining(granted));
  });

  it('knows the versions that the aliases will point to, and so does a rollback', () => {
    const versions = check?.Properties.Environment.Variables.CATALOG_VERSIONS['Fn::Join'][1];
    const references = versions.filter((part: unknown) => typeof part === 'object');
    expect(references).toEqual(
      aliases.map(([, { Properties }]) => ({ Ref: Properties.FunctionVersion['Fn::GetAtt'][0] })),
    );
    const text = versions.map((part: unknown) => (typeof part === 'object' ? 'arn' : part)).join('');
    expect(Object.keys(JSON.parse(text))).toEqual(versioned);
    const { Versions, CheckNewVersionsFunction } = template.toJSON()['Outputs'];
    expect(Versions.Value['Fn::Join'][1]).toEqual(versions);
    expect(CheckNewVersionsFunction.Value).toEqual({ Ref: id });
  });

  it('may invoke versions, read the token and tell CodeDeploy, and nothing else', () => {
    const statements = statementsOf(template, check?.Properties.Role['Fn::GetAtt'][0]);
    const resources = Object.fromEntries(statements.map(({ Action, Resource }) => [Action, Resource]));
    expect(Object.keys(resources)).toEqual([
      'logs:CreateLogStream,logs:PutLogEvents',
      'lambda:InvokeFunction',
      'ssm:GetParameter',
      'codedeploy:PutLifecycleEventHookExecutionStatus',
    ]);
    const versionsOf = (name: string) => ({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [name, 'Arn'] }, ':*']] });
    expect(resources['lambda:InvokeFunction']).toEqual(versioned.toSorted().map(versionsOf));
    expect(JSON.stringify(resources['ssm:GetParameter'])).toContain(`:parameter${heartbeatToken}"`);
    expect(JSON.stringify(resources['codedeploy:PutLifecycleEventHookExecutionStatus'])).toContain('deploymentgroup');
  });

  it('does not exist without a token', () => {
    const without = templateWith(gradual);
    expect(resourcesOf(without, 'AWS::Lambda::Function').map(([name]) => name)).toEqual([
      ...functionNames,
      'recordChanges',
      'applyAccount',
    ]);
    expect(JSON.stringify(without.toJSON())).not.toContain('BeforeAllowTrafficHook');
  });
});
