import { CfnResource, type Stack } from 'aws-cdk-lib/core';
import { describe, expect, it, test, vi } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { rejectPlaceholders } from '../../../tools/cdk/rejectPlaceholders.ts';
import { runProgram, temporaryFolder } from '../../support/programs/program.ts';

// The settings may be filled in. Those of dev need not be.
vi.mock('../../../infra/environments.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../../infra/environments.ts')>();
  const unfilled = { corsOrigins: ['https://app.example.com'] };
  const settingsOf: typeof actual.settingsOf = (name, given) =>
    actual.settingsOf(name, given ?? { ...actual.settingsOf(name), ...(name !== 'dev' && unfilled) });
  return { ...actual, settingsOf };
});

const noCredentials = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_PROFILE: undefined,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
};

const run = (...args: string[]) => runProgram('tools/cdk/cdk.ts', args, { env: noCredentials });

test.each(['deploy', 'diff', 'drift'])('%s with no environment fails with a sentence and code 2', async (command) => {
  const refused = (sentence: string) => ({ code: 2, stdout: '', stderr: `${sentence}; --help shows the options.\n` });
  expect(await run(command, '--force')).toEqual(refused("Required option '--env <environment>' not specified"));
  const unknown = "Option '--env' must be one of dev, staging, prod";
  for (const name of ['test', 'Prod', '', 'toString'])
    expect(await run(command, '--env', name, '--yes')).toEqual(refused(unknown));
});

describe('a deployment with placeholders in its settings', () => {
  it.each(['staging', 'prod'])('of %s fails with one sentence', async (environment) => {
    expect(await run('deploy', '--env', environment, '--require-approval', 'never')).toEqual({
      code: 1,
      stdout: '',
      stderr: `The setting ${environment}.corsOrigins in infra/environments.ts is still a placeholder: replace it with your own.\n`,
    });
  });

  const own = {
    ...settingsOf('prod'),
    account: '111122223333',
    corsOrigins: ['https://catalog.my-example.com'],
    alarms: { pages: 'ops@acme.test', tickets: 'ops@acme.test' },
  };

  it('requires the account of prod', () => {
    const { account, ...unnamed } = own;
    expect(() => rejectPlaceholders('prod', unnamed)).toThrow(
      'The setting prod.account in infra/environments.ts is not set: enter the AWS account that prod belongs in.',
    );
    expect(() => rejectPlaceholders('staging', unnamed)).not.toThrow();
  });

  it('is recognised by any setting', () => {
    expect(() => rejectPlaceholders('prod', own)).not.toThrow();
    expect(() => rejectPlaceholders('dev', settingsOf('dev'))).not.toThrow();
    for (const [setting, value] of Object.entries({
      corsOrigins: ['https://acme.test', 'https://example.com:8080'],
      alarms: { pages: 'ops@example.com', tickets: 'ops@acme.test' },
      customDomain: { name: 'catalog.example.com', certificate: 'arn:aws:acm:' },
    }))
      expect(() => rejectPlaceholders('prod', { ...own, [setting]: value })).toThrow(`The setting prod.${setting} in`);
  });
});

test.each(['deploy', 'diff', 'drift'])('%s without credentials fails with one sentence', async (command) => {
  expect(await run(command, '--env', 'dev')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^No AWS credentials were found: sign in, .* and set AWS_PROFILE\. The reason: \S.*\n$/,
    ),
  });
});

test('synthesis fails on a template that CloudFormation would reject', () => {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ 'aws:cdk:bundling-stacks': [] }));
  const app = createApp({ environment: 'dev', bundling: true, outdir: temporaryFolder() });
  new CfnResource(app.node.findChild('catalog-dev') as Stack, 'topic', {
    type: 'AWS::SNS::Topic',
    properties: { Unheard: true },
  });
  expect(() => app.synth()).toThrow("'Unheard' was unexpected");
});
