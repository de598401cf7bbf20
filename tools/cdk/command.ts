import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentName, environmentNames, settingsOf } from '../../infra/environments.ts';
import { CommandError } from '../cli/commandError.ts';
import { requireCredentials } from '../cli/credentials.ts';
import { print } from '../cli/print.ts';
import { runCommand } from '../cli/runCommand.ts';
import { runProgram } from '../cli/runProgram.ts';
import { cdkArguments, profileOf, rejectPlaceholders } from './cdkArguments.ts';

const names = environmentNames.join('|');

const callsAws = new Set(['deploy', 'diff', 'drift']);

const help = `Builds the service for AWS and deploys it.

  npm run deploy -- ${names} [flags of cdk deploy]
  npm run diff -- ${names} [flags of cdk diff]      shows what a deployment would change
  npm run drift -- ${names} [flags of cdk drift]    shows manual changes, and exits with 1 if there are any
  npm run synth                                             builds and checks every environment`;

await runCommand(async ([command = '--help', ...given]) => {
  if (command === '--help' || given[0] === '--help') {
    print(help);
    return 0;
  }
  if (command === 'synth' && given.length > 0) throw new CommandError('npm run synth takes no arguments.', 2);
  if (command === 'synth') return synthesiseAll();
  const args = cdkArguments(command, given);
  const environment = environmentName(given[0]);
  if (command === 'deploy') rejectPlaceholders(environment);
  if (callsAws.has(command)) await requireCredentials(settingsOf(environment).region, profileOf(given));
  return runCdk(command === 'drift' ? [...args, '--fail'] : args);
});

/** All environments share one folder, so that their functions, which are identical, are bundled only once. */
async function synthesiseAll(): Promise<number> {
  // Load the CDK only when needed, because it takes a second.
  const { createApp } = await import('../../infra/catalogApp.ts');
  const { addRules } = await import('../../infra/rules.ts');
  const outdir = mkdtempSync(join(tmpdir(), 'catalog-synth-'));
  for (const environment of environmentNames) {
    const app = createApp({ environment, bundling: true, outdir });
    addRules(app);
    app.synth();
  }
  // After a failure the folder is kept, because the CDK's message refers to a report in it.
  rmSync(outdir, { recursive: true });
  print(`${environmentNames.join(', ')}: built and checked, no findings.`);
  return 0;
}

function runCdk(args: readonly string[]): Promise<number> {
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  // cdk.json starts the app with `node`, which must be the Node that runs TypeScript.
  const bin = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  return runProgram(process.execPath, [cdk, ...args], env);
}
