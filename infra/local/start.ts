import { resolve } from 'node:path';
import { readOptions, usageError } from '../cli/arguments.ts';
import { CommandError, runCommand } from '../cli/runCommand.ts';
import { introduction } from './introduction.ts';
import { writeServiceFile } from './serviceFile.ts';
import type { RunningCatalog } from './startService.ts';

const help = `Runs the catalog service on this machine.

  npm start -- [options]

  --data DIR   keep the data in a folder; without it, they are in memory
  --bundled    run the functions as they are built for AWS, instead of from their sources
  --help       show this

The variable PORT chooses the port: 3000 unless it is set, 0 for any free one.`;

const options = { data: { type: 'string' }, bundled: { type: 'boolean' }, help: { type: 'boolean' } } as const;

function readArguments(args: readonly string[]): { data: string | undefined; bundled: boolean; help: boolean } {
  const { data, bundled = false, help: helpWanted = false } = readOptions(args, options);
  if (data === '') throw usageError("Option '--data' needs a folder");
  return { data: data === undefined ? undefined : resolve(data), bundled, help: helpWanted };
}

function readPort(): number {
  const text = process.env['PORT'] ?? '3000';
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

/** @returns the exit code, unless the service ends with another */
async function start(args: readonly string[]): Promise<number> {
  const { data, bundled, help: helpWanted } = readArguments(args);
  if (helpWanted) {
    console.log(help);
    return 0;
  }
  const port = readPort();
  // Whoever asks for help or mistypes an option need not wait for the CDK to load.
  const { startCatalog } = await import('./startService.ts');
  const catalog = await startCatalog({ port, data, bundled });
  try {
    endWith(catalog);
  } catch (error) {
    await catalog.close();
    throw error;
  }
  // A function that fails outside of its call must not end the service of the others.
  process.on('uncaughtException', (error) => console.error('Something failed outside of a request:', error));
  console.log(introduction(catalog, data));
  return 0;
}

/** Tells other programs of the service for as long as it runs. Before this, a signal ends all by itself: the engine ends with us. */
function endWith(catalog: RunningCatalog): void {
  const file = writeServiceFile(catalog);
  let ending = false;
  const end = async (status: number): Promise<void> => {
    ending = true;
    file.remove();
    await catalog.close();
    process.exit(status);
  };
  const endOnce = (): void => {
    if (!ending) end(0);
  };
  // Not `once`: of a signal to the whole group npm passes on a second one, which would end this before it has cleaned up.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, endOnce);
  catalog.engineEnded.then(() => {
    if (ending) return;
    console.error('The DynamoDB engine has ended, and the service with it.');
    end(1);
  });
}

/** What hinders the service comes as an error of no further class, with a sentence for a person. */
const asFailure = (error: unknown): unknown =>
  error instanceof Error && error.constructor === Error ? new CommandError(error.message) : error;

await runCommand((args) =>
  start(args).catch((error: unknown) => {
    throw asFailure(error);
  }),
);
