import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { variables } from '../lib/runtime/environment.ts';
import { fetchPastProxy } from './fetchPastProxy.ts';
import { CommandError, printError } from './print.ts';

/** Tokens of the demo accounts, named after what they allow. */
const demoTokens = z.object({
  editor: z.string(),
  editorWithoutCost: z.string(),
  reader: z.string(),
  readerWithoutCost: z.string(),
  /** Can change categories, units and defaults, but not edit. */
  admin: z.string(),
  otherAccount: z.string(),
});

const serviceSchema = z.object({
  /** The gateway's address, to which route paths are appended. */
  url: z.url(),
  table: z.string(),
  dynamodb: z.url(),
  tokens: demoTokens,
});

export type DemoTokens = z.infer<typeof demoTokens>;

/** How other programs reach the service on this machine. */
export type LocalService = z.infer<typeof serviceSchema>;

/** In the project folder, which is npm's working directory for every script. */
const serviceFile = (): string => resolve('.local/service.json');

/** The name of this machine in containers. Docker Desktop defines it, and samconfig.toml does so elsewhere. */
export const containerHost = 'host.docker.internal';

/** The functions' environment variables in the containers of `sam local`, in the format of its option `--env-vars`. */
const samVariables = ({ table, dynamodb }: Pick<LocalService, 'table' | 'dynamodb'>) => ({
  Parameters: {
    [variables.table]: table,
    [variables.dynamodb]: dynamodb.replace(/(?<=\/\/)(127\.[\d.]+|localhost|\[::1\])(?=[:/]|$)/, containerHost),
  },
});

const eventsFolder = (): string => resolve('.local/events');

const removeEvents = (): void => rmSync(eventsFolder(), { recursive: true, force: true, maxRetries: 3 });

export type ServiceFiles = ReturnType<typeof writeServiceFiles>;

/**
 * Writes the files that tell other programs and the SAM CLI how to reach the service.
 * @throws CommandError if they cannot be written
 */
export function writeServiceFiles({ url, table, dynamodb, tokens }: LocalService) {
  const files = [
    [serviceFile(), textOf({ url, table, dynamodb, tokens })],
    [resolve('.local/sam.json'), textOf(samVariables({ table, dynamodb }))],
  ] as const;
  for (const [path, text] of files) writeFile(path, text);
  // A run that was killed leaves its events behind.
  removeEvents();
  return {
    /**
     * Keeps the last event of each function, with which `sam local invoke` calls it again. It contains the caller's token.
     * A failure is only printed, because it must not fail what is debugged.
     */
    saveEvent: (functionName: string, event: unknown): void => {
      try {
        writeFile(join(eventsFolder(), `${functionName}.json`), textOf(event));
      } catch (error) {
        printError('An event could not be saved:', error);
      }
    },
    /** Deletes the files, unless a later service has replaced them. */
    remove: (): void => {
      for (const [path, text] of files) if (textOf(readJson(path)) === text) rmSync(path, { force: true });
      removeEvents();
    },
  };
}

const textOf = (content: unknown): string => `${JSON.stringify(content, undefined, 2)}\n`;

/** Only its owner can read the file, because it may contain tokens. Renaming is atomic, so nobody reads a part of it. */
function writeFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be written: ${(error as Error).message}.`, 1, { cause: error });
  }
}

/** Undefined if there is no such file. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Finds the service on this machine. @throws CommandError if none is running */
export async function findLocalService(): Promise<LocalService> {
  const parsed = z.safeParse(serviceSchema, readJson(serviceFile()));
  // A killed service leaves its file behind, so check that its engine responds.
  if (parsed.success && (await isReachable(parsed.data.dynamodb))) return parsed.data;
  throw new CommandError('No service is running on this machine: start it with npm start.');
}

const isReachable = (url: string): Promise<boolean> =>
  fetchPastProxy(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    // Where nothing listens, the connection is refused at once. An engine that takes longer is busy.
    ({ name }) => name === 'TimeoutError',
  );
