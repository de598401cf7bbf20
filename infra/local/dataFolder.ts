import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes a folder for the data of this process alone, and makes it if need be. The lock is SQLite's: the system lets go of
 * it however the process ends, so no run leaves one behind.
 * @returns what lets go of the folder
 * @throws an error with one sentence for a person: it cannot be used, or another process uses it
 */
export function takeDataFolder(folder: string): () => void {
  try {
    makeFolder(folder);
    const lock = new DatabaseSync(join(folder, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      reason === 'database is locked'
        ? `The data folder ${folder} is used by another run of the service.`
        : `The data folder ${folder} cannot be used: ${reason}.`,
      { cause: error },
    );
  }
}

/** With the folders above it. Node's `recursive` goes on forever where the system takes no folders, as under /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
