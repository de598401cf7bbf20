import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { page } from '../support/programs/pages.ts';
import { root } from '../support/programs/program.ts';

const text = readFileSync(join(root, 'infra/pipelineRole.yaml'), 'utf8');
const { Parameters, Resources } = parse(text, { logLevel: 'error' });
const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = Resources.Role.Properties;
const [[deploys, { PolicyDocument: deployment }, { PolicyDocument: denied }]] = Policies;
const arn = (service: string, resource: string) => `arn:\${AWS::Partition}:${service}:\${AWS::AccountId}:${resource}`;
const bootstrap = (role: string) => arn('iam:', `role/cdk-\${Qualifier}-${role}-role-\${AWS::AccountId}-*`);

it('the pipeline role can only be assumed in its own GitHub environment', () => {
  const [{ Condition, ...statement }, ...others] = AssumeRolePolicyDocument.Statement;
  expect([statement.Action, others]).toEqual(['sts:AssumeRoleWithWebIdentity', []]);
  expect(Condition).toEqual({
    StringEquals: {
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': `repo:\${Repository}:environment:\${Environment}`,
    },
  });
});

it('each role on the page has a stack of its own, as the same one would replace its role', () => {
  const names = [...page('docs/operations.md').matchAll(/ --stack-name (\S+) .* Environment=(\S+)/g)];
  expect(names.map(([, stack, environment]) => [stack, environment])).toEqual([
    ['catalog-pipeline-prod', 'prod'],
    ['catalog-drift-prod', 'prod-drift'],
    ['catalog-backup-prod', 'prod'],
  ]);
});

it.each([
  ['acme/catalog', true],
  ['acme@123/catalog@456', true],
  ['acme@123/catalog', false],
  ['acme/catalog@456', false],
  ['acme@*/catalog@*', false],
  ['acme/*', false],
  ['acme/catalog:ref', false],
])('the pipeline role takes the repository %s: %s', (repository, isTaken) => {
  // CloudFormation compares all of the value.
  expect(new RegExp(`^(?:${Parameters.Repository.AllowedPattern})$`).test(repository)).toBe(isTaken);
});

it('the pipeline role may only assume the bootstrap roles, and check and protect its stack and versions', () => {
  expect(deploys).toBe('Deploys');
  const allowed = deployment.Statement.map(({ Effect, Action, Resource }: Record<string, unknown>) => [
    Effect,
    [Action].flat().join(' '),
    Resource,
  ]);
  expect(allowed).toEqual([
    [
      'Allow',
      'cloudformation:DescribeStacks cloudformation:GetTemplate cloudformation:SetStackPolicy',
      arn('cloudformation:*', `stack/catalog-\${Environment}/*`),
    ],
    ['Allow', 'codedeploy:BatchGetDeployments codedeploy:ListDeployments lambda:GetAccountSettings', '*'],
    [
      'Allow',
      'lambda:CreateAlias lambda:ListAliases lambda:UpdateAlias',
      arn('lambda:*', `function:catalog-\${Environment}-*`),
    ],
    ['Allow', 'sts:AssumeRole', ['deploy', 'file-publishing', 'lookup'].map(bootstrap)],
  ]);
});

it('the role for drift can read how resources are configured, and neither items, logs nor parameters', () => {
  expect(ManagedPolicyArns).toEqual(['Deploys', 'AWS::NoValue', [expect.stringMatching(/:policy\/ReadOnlyAccess$/)]]);
  const [data, parameters, ...others] = denied.Statement;
  const reads = ['dynamodb:Scan', 'logs:FilterLogEvents', 'logs:GetLogObject', 'logs:StartLiveTail', 'logs:StartQuery'];
  expect(data).toEqual({ Effect: 'Deny', Action: expect.arrayContaining([...reads, 's3:GetObject*']), Resource: '*' });
  const version = arn('ssm:*', 'parameter/cdk-bootstrap/*');
  expect([parameters, ...others]).toEqual([{ Effect: 'Deny', Action: 'ssm:GetParameter*', NotResource: version }]);
});
