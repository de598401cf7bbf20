import { CfnResource, type Stack } from 'aws-cdk-lib/core';
import { describe, expect, it, test } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { cdkArguments, profileOf, rejectPlaceholders } from '../../../tools/cdk/cdkArguments.ts';
import { root, startProgram, temporaryFolder } from '../program.ts';

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, ...withoutKeys } = process.env;
const withoutCredentials = { ...withoutKeys, AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' };

/** Runs the command as npm does, until it ends. */
async function run(...args: string[]) {
  const { output, ended } = startProgram(process.execPath, ['tools/cdk/command.ts', ...args], {
    cwd: root,
    env: withoutCredentials,
  });
  return { code: await ended, ...output };
}

describe('cdkArguments', () => {
  it('passes the command, the flags and the environment', () => {
    expect(cdkArguments('deploy', ['prod', '--require-approval', 'never'])).toEqual([
      ...['deploy', '--require-approval', 'never'],
      ...['--context', 'env=prod'],
    ]);
    expect(cdkArguments('diff', ['dev'])).toEqual(['diff', '--context', 'env=dev']);
  });

  it.each([
    [[], 'Name the environment: npm run deploy -- dev|staging|prod.'],
    [['--force'], 'Name the environment: npm run deploy -- dev|staging|prod.'],
    [['Prod'], 'There is no environment "Prod"; choose one of dev, staging, prod.'],
    [[''], 'There is no environment ""; choose one of dev, staging, prod.'],
    [['toString'], 'There is no environment "toString"; choose one of dev, staging, prod.'],
  ])('rejects %j', (given, message) => {
    expect(() => cdkArguments('deploy', given)).toThrow(expect.objectContaining({ message, exitCode: 2 }));
  });
});

test.each(['deploy', 'diff'])(
  '%s without an existing environment fails with one sentence and exit code 2',
  async (command) => {
    const refusal = (stderr: string) => ({ code: 2, stdout: '', stderr });
    expect(await run(command)).toEqual(refusal(`Name the environment: npm run ${command} -- dev|staging|prod.\n`));
    const unknown = 'There is no environment "test"; choose one of dev, staging, prod.\n';
    expect(await run(command, 'test', '--yes')).toEqual(refusal(unknown));
  },
);

describe('a deployment with placeholders in its settings', () => {
  it.each(['staging', 'prod'])('of %s fails with one sentence', async (environment) => {
    expect(await run('deploy', environment, '--require-approval', 'never')).toEqual({
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
    expect(() => rejectPlaceholders('dev')).not.toThrow();
    for (const [setting, value] of Object.entries({
      corsOrigins: ['https://acme.test', 'https://example.com:8080'],
      alarms: { pages: 'ops@example.com', tickets: 'ops@acme.test' },
      customDomain: { name: 'catalog.example.com', certificate: 'arn:aws:acm:' },
    }))
      expect(() => rejectPlaceholders('prod', { ...own, [setting]: value })).toThrow(`The setting prod.${setting} in`);
  });
});

test.each(['deploy', 'diff', 'drift'])('%s without credentials fails with one sentence', async (command) => {
  expect(await run(command, 'dev')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'No AWS credentials were found: sign in, for example with aws sso login, and set AWS_PROFILE.\n',
  });
});

describe('profileOf', () => {
  it.each([
    [['--profile', 'ops'], 'ops'],
    [['--yes', '--profile=ops'], 'ops'],
    [['--yes'], undefined],
  ])('of %j is %s', (flags, profile) => {
    expect(profileOf(flags)).toBe(profile);
  });
});

test('--help shows the commands', async () => {
  const { code, stdout } = await run('deploy', '--help');
  expect(code).toBe(0);
  for (const command of ['npm run deploy', 'npm run diff', 'npm run synth']) expect(stdout).toContain(command);
});

describe('the installed CDK', () => {
  it('runs with the given environment, whatever the flags say', { timeout: 60_000 }, async () => {
    expect(await run('list', 'staging', '--context', 'env=prod', '--output', temporaryFolder())).toMatchObject({
      code: 0,
      stdout: 'catalog-staging\n',
    });
  });

  it('passes on its exit code', { timeout: 60_000 }, async () => {
    const { code, stderr } = await run('list', 'dev', '--app', 'exit 7', '--output', temporaryFolder());
    expect(code).toBe(1);
    expect(stderr).toContain('exit 7');
  });
});

test('synthesis fails on a template that CloudFormation would reject', { timeout: 60_000 }, () => {
  const app = createApp({ environment: 'dev', bundling: true, outdir: temporaryFolder() });
  new CfnResource(app.node.findChild('catalog-dev') as Stack, 'topic', {
    type: 'AWS::SNS::Topic',
    properties: { Unheard: true },
  });
  expect(() => app.synth()).toThrow("'Unheard' was unexpected");
});
