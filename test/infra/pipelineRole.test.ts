import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/programs/program.ts';

const template = readFileSync(join(root, 'infra/pipelineRole.yaml'), 'utf8');

it('the pipeline role can only be assumed in its own GitHub environment', () => {
  expect(template).toContain('token.actions.githubusercontent.com:aud: sts.amazonaws.com');
  expect(template).toMatch(/:sub: !Sub repo:\$\{Repository\}:environment:\$\{Environment\}$/m);
  expect(template).not.toContain('StringLike');
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
  const [, pattern = ''] = /AllowedPattern: '(.*)'/.exec(template) ?? [];
  // CloudFormation compares all of the value.
  expect(new RegExp(`^(?:${pattern})$`).test(repository)).toBe(isTaken);
});

it('the pipeline role may only assume the bootstrap roles, and check and protect its own stack and versions', () => {
  const [, allowed = ''] = /Action: sts:AssumeRole\n +Resource:\n((?: +- !Sub .*\n)+)/.exec(template) ?? [];
  const roles = allowed.trim().split('\n');
  expect(roles).toHaveLength(3);
  for (const role of roles) expect(role).toContain(':role/cdk-');
  const own = /Action:\n((?: +- cloudformation:.*\n)+) +Resource: !Sub (.*)\n/.exec(template);
  expect(own?.[1]?.match(/\w+:\w+/g)).toEqual(
    ['DescribeStacks', 'GetTemplate', 'SetStackPolicy'].map((action) => `cloudformation:${action}`),
  );
  expect(own?.[2]).toMatch(/:stack\/catalog-\$\{Environment\}\/\*$/);
  const aliases = /Action:\n((?: +- lambda:\w+Alias.*\n)+) +Resource: !Sub (.*)\n/.exec(template);
  expect(aliases?.[1]?.match(/\w+(?=\n)/g)).toEqual(['CreateAlias', 'ListAliases', 'UpdateAlias']);
  expect(aliases?.[2]).toMatch(/:function:catalog-\$\{Environment\}-\*$/);
  const [, reading = ''] = /Action:\n((?: +- .*\n)+) +Resource: "\*"\n/.exec(template) ?? [];
  expect(reading.match(/\w+:\w+/g)).toEqual([
    'codedeploy:BatchGetDeployments',
    'codedeploy:ListDeployments',
    'lambda:GetAccountSettings',
  ]);
  // One each for these, and one for who may assume it.
  expect(template.match(/Effect: Allow/g)).toHaveLength(5);
});

it('the role for drift can read neither items, logs nor parameters', () => {
  const [, denied = ''] = /PolicyName: no-data([\s\S]*)\nOutputs:/.exec(template) ?? [];
  for (const action of [
    'dynamodb:Scan',
    'logs:FilterLogEvents',
    'logs:GetLogObject',
    'logs:StartLiveTail',
    'logs:StartQuery',
    's3:GetObject*',
  ])
    expect(denied).toContain(`- ${action}\n`);
  expect(denied).toMatch(/Action: ssm:GetParameter\*\n +#.*\n +NotResource: .*:parameter\/cdk-bootstrap\/\*$/m);
  expect(denied).not.toContain('Effect: Allow');
});
