import { resolve } from 'node:path';
import * as z from 'zod';
import { type ServiceFiles, writeServiceFiles } from '../cli/localService.ts';
import { CommandError, print, printError } from '../cli/print.ts';
import { createProgram, runCommand, valueOption } from '../cli/program.ts';
import { variables } from '../lib/runtime/environment.ts';
import type { CompletedRequest } from './gateway/startGateway.ts';
import { parseIdentity, reportRefusals } from './localIdentity.ts';
import { requestLine } from './requestLog.ts';
import type { RunningService } from './startService.ts';
import { startupMessage } from './startupMessage.ts';

function readPort(): number {
  const text = process.env['PORT'] ?? '3000';
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}.`, 2);
}

const folder = z
  .string()
  .min(1, 'needs a folder')
  .transform((path) => resolve(path));

/** @returns when the service is running */
async function start({ data, bundled, json, ...provider }: ReturnType<typeof program.opts>): Promise<void> {
  const identity = parseIdentity(provider);
  const port = readPort();
  // Load the CDK only when needed, because it takes a second.
  const { startService } = await import('./startService.ts');
  const log = json === true || !process.stdout.isTTY ? undefined : consoleLog();
  let files: ServiceFiles | undefined;
  const report = identity === undefined ? undefined : reportRefusals(identity, print);
  const onEvent: ServiceFiles['saveEvent'] = (name, event) => {
    files?.saveEvent(name, event);
    if (name === 'authorizer') report?.(event);
  };
  const service = await startService({ port, data, bundled, identity, log, onEvent });
  try {
    files = writeServiceFiles(service);
    // Nothing here calls these.
    for (const name of ['heartbeat', 'verifyTable']) files.saveEvent(name, {});
    stopOnSignal(service, files);
  } catch (error) {
    await service.close();
    throw error;
  }
  // An error that a function throws outside of its invocation must not stop the service.
  process.on('uncaughtException', (error) => printError('An error was thrown outside of a request:', error));
  print(startupMessage(service, data, identity));
}

/** Logs one line per request. Of the functions' own log, only failed requests are left. */
function consoleLog(): (answered: CompletedRequest) => void {
  process.env[variables.logLevel] = 'ERROR';
  return (answered) => print(requestLine(answered));
}

/** How long after a signal npm's copy of it may come, in milliseconds. */
const forwardedWithin = 1_000;

/**
 * Stops everything on a signal, and removes the service's files. Until then, the default signal handling is enough,
 * because the engine ends with this process.
 */
function stopOnSignal(service: RunningService, files: ServiceFiles): void {
  let stoppingSince: number | undefined;
  const stop = async (status: number): Promise<void> => {
    stoppingSince = performance.now();
    await service.close();
    end(status);
  };
  const end = (status: number): void => {
    files.remove();
    process.exit(status);
  };
  // Not `once`: npm forwards a signal that the terminal has already sent here, and with `once` the second one would
  // kill this process during shutdown. What comes later is another Ctrl-C, of somebody who does not wait for a function.
  const onSignal = (): void => {
    if (stoppingSince === undefined) stop(0);
    else if (performance.now() - stoppingSince > forwardedWithin) end(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  service.engineEnded.then(() => {
    if (stoppingSince !== undefined) return;
    printError('The DynamoDB engine has stopped, so the service is stopping too.');
    stop(1);
  });
}

const program = createProgram('npm start --', 'Runs the catalog service on this machine.')
  .addOption(valueOption('--data <folder>', 'keep data in a folder instead of only until the service stops', folder))
  .option('--bundled', 'run the bundles that would be deployed, instead of the sources')
  .addOption(
    valueOption(
      '--issuer <url>',
      'also accept the access tokens of this identity provider; its discovery document is at ' +
        'URL/.well-known/openid-configuration, and plain HTTP is allowed on this machine only',
      z.string(),
    ),
  )
  .addOption(
    valueOption(
      '--audience <name>',
      'the audience that those tokens must have (for Cognito: the id of the app client)',
      z.string(),
    ),
  )
  .option(
    '--permissions <claim...>',
    "the claim with the user's permissions, or the names on the path to it (unless the settings of dev name one)",
  )
  .option('--json', 'log requests as JSON lines, as on AWS, even on a terminal')
  .addHelpText(
    'after',
    '\nThe environment variable PORT chooses the port. The default is 3000; 0 means any free port.',
  );
await runCommand(program.action(start));
