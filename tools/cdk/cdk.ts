import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findStack } from '../../cli/findStack.ts';
import { print } from '../../cli/print.ts';
import { createProgram, environmentOption, runCommand } from '../../cli/program.ts';
import { runProgram } from '../../cli/runProgram.ts';
import { type EnvironmentName, environmentNames, settingsOf } from '../../infra/environments.ts';
import { rejectPlaceholders } from './rejectPlaceholders.ts';

const program = createProgram('npm run cdk --', 'Builds the service for AWS and deploys it.');

program
  .command('synth')
  .description('Builds and checks every environment, and leaves the templates in cdk.out.')
  .action(synthesiseAll);

/** Adds a command of the CDK for one environment. */
const addCdkCommand = (command: string, description: string) =>
  program
    .command(command)
    .description(description)
    .addOption(environmentOption('the environment').makeOptionMandatory())
    .option('--profile <name>', 'a profile in ~/.aws/config')
    .argument('[flags...]', `other options of cdk ${command}`)
    .allowUnknownOption();

for (const [command, description, ...added] of [
  ['diff', 'Shows what a deployment would change.'],
  ['drift', 'Shows manual changes of an environment, and exits with 1 if there are any.', '--fail'],
] as const)
  addCdkCommand(command, description).action(async (flags, chosen) => {
    // Otherwise, the CDK would find out later that there are no credentials, or those of another account.
    await findStack(chosen.env, settingsOf(chosen.env), chosen.profile);
    process.exitCode = await runCdk([command, ...flags, ...added], chosen);
  });

addCdkCommand(
  'deploy',
  'Deploys an environment, unless a resource that holds state or an address would be removed, replaced or no longer ' +
    'protected from deletion.',
)
  .option('--first', 'create the environment, which does not exist yet')
  .option('--accept-loss', 'remove and replace such resources, except for the table and the API')
  .action(async (flags, { first = false, acceptLoss = false, ...chosen }) => {
    const { env: environment, profile } = chosen;
    const settings = settingsOf(environment);
    rejectPlaceholders(environment, settings);
    // Load the CDK only when needed, because it takes a second.
    const { guardDeployment } = await import('./guardDeployment.ts');
    // The last value of a context key wins.
    const atOnce = flags.findLast((flag) => /\batOnce=/.test(flag))?.endsWith('=true') === true;
    const deployment = { environment, settings, first, acceptLoss, atOnce, profile };
    process.exitCode = await guardDeployment(deployment, () => runCdk(['deploy', ...flags], chosen));
  });

await runCommand(program);

/** All environments share one folder, so that their functions, which are identical, are bundled only once. */
async function synthesiseAll(): Promise<void> {
  const { createApp } = await import('../../infra/catalogApp.ts');
  const { addRules } = await import('../../infra/rules.ts');
  const { optionalSettings: settings } = await import('./optionalSettings.ts');
  const outdir = 'cdk.out';
  for (const environment of environmentNames) {
    const app = createApp({ environment, bundling: true, outdir });
    addRules(app);
    app.synth();
  }
  createApp({ environment: 'prod', bundling: false, outdir: join(outdir, 'all-settings'), settings }).synth();
  print(`${environmentNames.join(', ')}: built and checked, no findings. The templates are in cdk.out.`);
}

function runCdk(
  args: readonly string[],
  { env: environment, profile }: { env: EnvironmentName; profile?: string | undefined },
): Promise<number> {
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  // cdk.json starts the app with `node`, which must be the Node that runs TypeScript.
  const bin = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  // The last value of a context key wins, so the flags cannot select another environment.
  const chosen = ['--context', `env=${environment}`, ...(profile === undefined ? [] : ['--profile', profile])];
  return runProgram(process.execPath, [cdk, ...args, ...chosen], env);
}
