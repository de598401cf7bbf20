import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalService } from '../../../cli/localService.ts';
import type { Client, Item } from '../../../client/http/catalogClient.ts';
import { listItems } from '../../../client/items/readItems.ts';
import { variables } from '../../../lib/runtime/environment.ts';

const program = fileURLToPath(new URL('../../../local/start.ts', import.meta.url));

/**
 * Starts the local service as a process of its own, in a folder where an earlier one has left its data.
 * @param more of its arguments
 * @returns what it tells other programs
 */
export async function startOwnService(
  folder: string,
  port: string,
  more: readonly string[] = [],
): Promise<{ child: ChildProcess; service: LocalService }> {
  const env = { ...process.env, PORT: port, [variables.logLevel]: 'ERROR' };
  const child = spawn(process.execPath, [program, '--data', join(folder, 'data'), ...more], {
    ...{ cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  const ended = once(child, 'exit').then(([status]) => assert.fail(`The service has ended with ${status}`));
  await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  ended.catch(() => undefined); // it is killed
  child.stdout?.resume(); // else it would wait for a reader
  return { child, service: JSON.parse(readFileSync(join(folder, '.local/service.json'), 'utf8')) };
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export const allItems = (client: Client): Promise<Item[]> =>
  Array.fromAsync(listItems(client, { include_inactive: true, limit: 100 }));
