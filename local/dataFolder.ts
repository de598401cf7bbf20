import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommandError } from '../cli/print.ts';

/**
 * Locks the data folder for this process, creating it if necessary. It uses SQLite's lock, which the operating system
 * releases however the process ends, so no stale lock is ever left behind.
 * @returns releases the folder
 * @throws CommandError if the folder cannot be used, or another process is using it
 */
export function lockDataFolder(folder: string): () => void {
  try {
    createFolder(folder);
    const lock = new DatabaseSync(join(folder, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    // File system and SQLite errors have a code.
    if (!(error instanceof Error && 'code' in error)) throw error;
    const sentence =
      error.message === 'database is locked'
        ? `The data folder ${folder} is used by another run of the service.`
        : `The data folder ${folder} cannot be used: ${error.message}.`;
    throw new CommandError(sentence, 1, { cause: error });
  }
}

/** Creates its parents, too. Node's `recursive` hangs where the system allows no new folder, such as under /proc. */
function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  createFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
