import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as z from 'zod/mini';
import { CommandError } from './commandError.ts';

/** Tokens of the demo accounts, named after what their callers may do. */
const demoTokens = z.object({
  editor: z.string(),
  editorWithoutCost: z.string(),
  /** Can read costs, but not edit. */
  reader: z.string(),
  /** An editor of the second account. */
  otherAccount: z.string(),
});

const serviceSchema = z.object({
  /** The gateway's address. The routes' paths are appended to it. */
  url: z.url(),
  table: z.string(),
  /** The address of DynamoDB. */
  dynamodb: z.url(),
  tokens: demoTokens,
});

export type DemoTokens = z.infer<typeof demoTokens>;

/** How other programs reach the service that runs on this machine. */
export type LocalService = z.infer<typeof serviceSchema>;

/** In the project's folder, in which npm starts every program. */
const serviceFile = (): string => resolve('.local/service.json');

/**
 * Writes the file by which other programs find the service. Only its owner can read it, because it holds tokens.
 * @returns removes the file again, unless a later run has replaced it
 * @throws CommandError when it cannot be written
 */
export function writeServiceFile({ url, table, dynamodb, tokens }: LocalService): { remove(): void } {
  const path = serviceFile();
  const text = `${JSON.stringify({ url, table, dynamodb, tokens }, undefined, 2)}\n`;
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Renaming is atomic, so nobody reads half a file.
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be written: ${(error as Error).message}.`, 1, { cause: error });
  }
  return {
    remove: () => {
      try {
        if (readFileSync(path, 'utf8') === text) rmSync(path);
      } catch {
        // Already removed.
      }
    },
  };
}

/**
 * Finds the service that runs on this machine.
 * @throws CommandError when none runs
 */
export async function findLocalService(): Promise<LocalService> {
  const parsed = z.safeParse(serviceSchema, readJson(serviceFile()));
  // A service that was killed has left its file behind, so check that its engine answers.
  if (parsed.success && (await answers(parsed.data.dynamodb))) return parsed.data;
  throw new CommandError('No service runs on this machine: start it with npm start.');
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );
