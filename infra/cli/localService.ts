import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { CommandError } from './runCommand.ts';

const shape = z.object({ table: z.string(), dynamodb: z.url(), tokens: z.object({ editor: z.string() }) });

/** Where the service runs on this machine, and the token of one who may edit there. */
export type LocalService = z.infer<typeof shape>;

/**
 * Finds the service that runs on this machine by the file that it keeps for as long. npm starts programs in the
 * project's folder.
 * @throws ToolFailure when none runs
 */
export async function localService(): Promise<LocalService> {
  try {
    const service = z.parse(shape, JSON.parse(readFileSync(resolve('.local/service.json'), 'utf8')));
    // A service that was killed has left its file.
    await fetch(service.dynamodb, { signal: AbortSignal.timeout(2_000) });
    return service;
  } catch {
    throw new CommandError('No service runs on this machine: start it with npm start.');
  }
}
