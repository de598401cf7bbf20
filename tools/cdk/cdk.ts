import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentNames, settingsOf } from '../../infra/environments.ts';
import { requireCredentials } from '../cli/credentials.ts';
import { environmentOption } from '../cli/options.ts';
import { print } from '../cli/print.ts';
import { createProgram, runCommand } from '../cli/runCommand.ts';
import { runProgram } from '../cli/runProgram.ts';
import { rejectPlaceholders } from './rejectPlaceholders.ts';
import { showChanges } from './showChanges.ts';

const program = createProgram('npm run cdk --', 'Builds the service for AWS and deploys it.');

program
  .command('synth')
  .description('Builds and checks every environment.')
  .argument('[folder]', 'keeps the templates in this folder, with another one that has all settings')
  .action(async (folder) => synthesiseAll(folder));

const commands = {
  diff: 'Shows what a deployment would change.',
  deploy: 'Deploys an environment.',
  drift: 'Shows manual changes of an environment, and exits with 1 if there are any.',
};
for (const [command, description] of Object.entries(commands)) {
  program
    .command(command)
    .description(description)
    .addOption(environmentOption('the environment').makeOptionMandatory())
    .option('--profile <name>', 'a profile in ~/.aws/config')
    .argument('[flags...]', `other options of cdk ${command}`)
    .allowUnknownOption()
    .action(async (flags, { env, profile }) => {
      const settings = settingsOf(env);
      if (command === 'deploy') rejectPlaceholders(env, settings);
      await requireCredentials(settings.region, profile);
      const chosen = profile === undefined ? [] : ['--profile', profile];
      const fails = command === 'drift' ? ['--fail'] : [];
      // The last value of a context key wins, so the flags cannot select another environment.
      process.exitCode = await runCdk([command, ...flags, ...chosen, '--context', `env=${env}`, ...fails]);
    });
}

program
  .command('changes')
  .description(
    'Shows what this commit changes in the stacks of all environments, compared with another commit, without AWS ' +
      'credentials. Exits with 1 if a resource that holds state or an address would be removed or replaced.',
  )
  .argument('<commit>', 'for example origin/main')
  .action((commit) => {
    process.exitCode = showChanges(commit);
  });

await runCommand(program);

/** All environments share one folder, so that their functions, which are identical, are bundled only once. */
async function synthesiseAll(folder: string | undefined): Promise<void> {
  // Load the CDK only when needed, because it takes a second.
  const { createApp } = await import('../../infra/catalogApp.ts');
  const { addRules } = await import('../../infra/rules.ts');
  const { optionalSettings } = await import('./optionalSettings.ts');
  const outdir = folder ?? mkdtempSync(join(tmpdir(), 'catalog-synth-'));
  for (const environment of environmentNames) {
    const app = createApp({ environment, bundling: true, outdir });
    addRules(app);
    app.synth();
  }
  if (folder !== undefined)
    createApp({
      environment: 'prod',
      bundling: false,
      outdir: join(folder, 'all-settings'),
      settings: optionalSettings,
    }).synth();
  // After a failure the folder is kept, because the CDK's message refers to a report in it.
  else rmSync(outdir, { recursive: true });
  print(`${environmentNames.join(', ')}: built and checked, no findings.`);
}

function runCdk(args: readonly string[]): Promise<number> {
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  // cdk.json starts the app with `node`, which must be the Node that runs TypeScript.
  const bin = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  return runProgram(process.execPath, [cdk, ...args], env);
}
