import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError } from '../../cli/print.ts';
import type { CallerStorage } from '../../client/http/catalogClient.ts';
import { hasUnnamedImports, nameImports } from '../../client/import/journal.ts';
import type { GivenTable } from '../adminProgram.ts';

/**
 * A file in place of a browser's storage. It is replaced as a whole, so a kill loses nothing.
 * @throws CommandError if the file is something else
 */
export function fileStorage(path: string): CallerStorage {
  const all = (): Record<string, string> => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
  /** @param value undefined removes it */
  const write = (name: string, value?: string): void => {
    const text = JSON.stringify({ ...all(), [name]: value });
    if (text === '{}') rmSync(path, { force: true });
    else {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    }
  };
  try {
    all();
  } catch {
    throw new CommandError(
      `The file ${path} is not the progress of an import or an undo. If you do not need it, delete it.`,
    );
  }
  return { getItem: (name) => all()[name] ?? null, setItem: write, removeItem: (name) => write(name) };
}

/**
 * Asks whether the stored imports of an earlier version, which did not store the table, were into this one.
 * @throws CommandError if they were not, or there is no terminal
 */
export async function nameTable(
  { database: { table }, confirm }: GivenTable,
  storage: CallerStorage,
  path: string,
): Promise<void> {
  if (!hasUnnamedImports(storage)) return;
  const what = `The progress in ${path} is of an earlier version, which did not store the table.`;
  if (process.stdin.isTTY !== true)
    throw new CommandError(
      `${what} Run the command at a terminal to confirm that it is ${table}, or delete the file to import anew.`,
    );
  await confirm(`${what} Type ${table} if it is of this table: `, table, 'done');
  nameImports(storage, table);
}
