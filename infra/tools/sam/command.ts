import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError } from '../../cli/commandError.ts';
import { findProgram } from '../../cli/findProgram.ts';
import { findLocalService } from '../../cli/localService.ts';
import { print, printError } from '../../cli/print.ts';
import { runCommand } from '../../cli/runCommand.ts';
import { runProgram } from '../../cli/runProgram.ts';
import { functionNames } from '../../constructs/functionAccess.ts';
import { findContainerEngine } from './containerEngine.ts';
import { hostRoute, thisMachine } from './hostRoute.ts';
import { reachableFromContainers } from './reachableFromContainers.ts';
import {
  builtFolder,
  codeFolder,
  localEvent,
  localTemplate,
  parseFunction,
  type SamTemplate,
  samVariables,
} from './samInvocation.ts';
import { commandLine, samArguments, samEnvironment } from './samProgram.ts';

const help = `Runs one function with AWS SAM, as on AWS, against the service on this machine.

  npm run sam -- ${functionNames.join('|')} [flags of sam local invoke]

  --debug-port 5858   wait for a debugger on that port
  --event FILE        use this event instead of the one in test/events

Cannot run the heartbeat. npm run smoke sends the same requests.
Prints the sam local invoke command that it runs, which you can repeat while the service is running.`;

await runCommand(async ([name, ...flags]) => {
  if (name === '--help') {
    print(help);
    return 0;
  }
  const invoked = parseFunction(name);
  if (findProgram('sam') === undefined) {
    throw new CommandError(
      'Install the AWS SAM CLI first (https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html).',
    );
  }
  const route = await hostRoute(await findContainerEngine(process.env), thisMachine);
  const { table, dynamodb, tokens } = await findLocalService();
  const folder = resolve('.local/sam', invoked);
  const template = await build(folder, invoked);
  const engine = await reachableFromContainers(dynamodb, route);
  const files = {
    template: write(folder, 'template.json', template),
    event: write(folder, 'event.json', localEvent(sampleEvent(invoked), tokens.editor)),
    variables: write(folder, 'variables.json', samVariables(invoked, { table, dynamodb: engine }, process.env)),
  };
  const samArgs = samArguments(invoked, files, flags);
  printError(
    `Running this command, which you can repeat while the service is running:\n\n  ${commandLine(samArgs, process.env)}\n`,
  );
  return runProgram('sam', samArgs, samEnvironment(process.env));
});

/** Synthesises the stack into the folder, with the function's bundle under a fixed name. */
async function build(folder: string, invoked: string): Promise<SamTemplate> {
  // Load the CDK only when needed, because it takes a second.
  const { createApp } = await import('../../catalogApp.ts');
  rmSync(folder, { recursive: true, force: true });
  const [stack] = createApp({ environment: 'dev', bundling: true, outdir: folder }).synth().stacks;
  const template: SamTemplate = stack?.template;
  renameSync(join(folder, builtFolder(template, invoked)), join(folder, codeFolder));
  return localTemplate(template, invoked, process.arch);
}

function sampleEvent(name: string) {
  return JSON.parse(readFileSync(new URL(`../../../test/events/${name}.json`, import.meta.url), 'utf8'));
}

/** Writes a file that only its owner can read, because the event contains a token. */
function write(folder: string, name: string, content: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content, undefined, 2), { mode: 0o600 });
  return path;
}
