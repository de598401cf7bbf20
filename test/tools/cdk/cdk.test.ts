import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnResource, type Stack } from 'aws-cdk-lib/core';
import { describe, expect, it, test } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { rejectPlaceholders } from '../../../tools/cdk/rejectPlaceholders.ts';
import { root, startProgram, temporaryFolder } from '../program.ts';

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, ...withoutKeys } = process.env;
const withoutCredentials = { ...withoutKeys, AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' };

/** Runs the command as npm does, until it ends. */
async function runWith(env: NodeJS.ProcessEnv, args: readonly string[]) {
  const { output, ended } = startProgram(process.execPath, ['tools/cdk/cdk.ts', ...args], {
    cwd: root,
    env: { ...withoutCredentials, ...env },
  });
  return { code: await ended, ...output };
}

const run = (...args: string[]) => runWith({}, args);

test.each(['deploy', 'diff', 'drift'])(
  '%s without an existing environment fails with one sentence and exit code 2',
  async (command) => {
    const refused = (sentence: string) => ({ code: 2, stdout: '', stderr: `${sentence}; --help shows the options.\n` });
    expect(await run(command, '--force')).toEqual(refused("Required option '--env <environment>' not specified"));
    const unknown = "Option '--env' must be one of dev, staging, prod";
    for (const name of ['test', 'Prod', '', 'toString'])
      expect(await run(command, '--env', name, '--yes')).toEqual(refused(unknown));
  },
);

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
    stderr: 'No AWS credentials were found: sign in, for example with aws sso login, and set AWS_PROFILE.\n',
  });
});

test('--help shows the commands', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  for (const command of ['synth', 'diff', 'deploy', 'drift', 'changes']) expect(stdout).toContain(`\n  ${command} `);
});

describe('the installed CDK', () => {
  const credentials = { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' };
  const diff = (...args: string[]) => runWith(credentials, ['diff', ...args, '--output', temporaryFolder()]);

  it('runs with the given environment, whatever the flags say', async () => {
    const template = join(temporaryFolder(), 'empty.json');
    writeFileSync(template, '{}');
    const { code, stdout, stderr } = await diff('--template', template, '--env', 'staging', '--context', 'env=prod');
    expect(code).toBe(0);
    // With CI=true the CDK writes to standard output what it writes to standard error elsewhere.
    expect(stdout + stderr).toMatch(/^Stack catalog-staging$/m);
  });

  it('passes on its exit code', async () => {
    const { code, stderr } = await diff('--env', 'dev', '--app', 'exit 7');
    expect(code).toBe(1);
    expect(stderr).toContain('exit 7');
  });
});

test('synthesis fails on a template that CloudFormation would reject', () => {
  const app = createApp({ environment: 'dev', bundling: true, outdir: temporaryFolder() });
  new CfnResource(app.node.findChild('catalog-dev') as Stack, 'topic', {
    type: 'AWS::SNS::Topic',
    properties: { Unheard: true },
  });
  expect(() => app.synth()).toThrow("'Unheard' was unexpected");
});
