import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommandError } from '../cli/commandError.ts';

/**
 * Locks a folder for the data of this process, and creates it if necessary. The lock is SQLite's: the operating system
 * releases it however the process ends, so none is ever left behind.
 * @returns releases the folder
 * @throws CommandError when the folder cannot be used, or another process uses it
 */
export function lockDataFolder(folder: string): () => void {
  try {
    createFolder(folder);
    const lock = new DatabaseSync(join(folder, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    // Errors of the file system and of SQLite have a code.
    if (!(error instanceof Error && 'code' in error)) throw error;
    const sentence =
      error.message === 'database is locked'
        ? `The data folder ${folder} is used by another run of the service.`
        : `The data folder ${folder} cannot be used: ${error.message}.`;
    throw new CommandError(sentence, 1, { cause: error });
  }
}

/** Creates parent folders too. Node's `recursive` never returns where the system refuses to create folders, as under /proc. */
function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  createFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
