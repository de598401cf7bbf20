import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError, runCommand } from '../../cli/runCommand.ts';
import { runProgram } from '../../cli/runProgram.ts';
import { environmentName, environmentNames } from '../../environments.ts';
import { cdkArguments, refusePlaceholders } from './cdkArguments.ts';

const names = environmentNames.join('|');

const help = `Builds the service for AWS, and deploys it.

  npm run deploy -- ${names} [flags of cdk deploy]
  npm run diff -- ${names} [flags of cdk diff]    what a deployment would change
  npm run synth                                           builds and checks every environment`;

await runCommand(async ([command = '--help', ...given]) => {
  if (command === '--help' || given[0] === '--help') {
    console.log(help);
    return 0;
  }
  if (command === 'synth' && given.length > 0) throw new CommandError('npm run synth takes no arguments.', 2);
  if (command === 'synth') return synthesiseAll();
  const args = cdkArguments(command, given);
  if (command === 'deploy') refusePlaceholders(environmentName(given[0]));
  return runCdk(args);
});

/** One after the other into one folder, so that the functions, which are the same everywhere, are built once. */
async function synthesiseAll(): Promise<number> {
  // Loading the CDK takes longer than telling a person that the environment is mistyped.
  const { createApp } = await import('../../catalogApp.ts');
  const { addRules } = await import('../../rules.ts');
  const outdir = mkdtempSync(join(tmpdir(), 'catalog-synth-'));
  for (const environment of environmentNames) {
    const app = createApp({ environment, bundling: true, outdir });
    addRules(app);
    app.synth();
  }
  // After a failure the folder stays, as the CDK's message names the report in it.
  rmSync(outdir, { recursive: true });
  console.log(`${environmentNames.join(', ')}: built and checked, no findings.`);
  return 0;
}

function runCdk(args: readonly string[]): Promise<number> {
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  // The app is started by the name `node`, which must be the one that runs TypeScript.
  const bin = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  return runProgram(process.execPath, [cdk, ...args], env);
}
