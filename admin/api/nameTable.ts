import { CommandError } from '../../cli/commandError.ts';
import type { CallerStorage } from '../../client/http/catalogClient.ts';
import { hasUnnamedImports, nameImports } from '../../client/import/journal.ts';
import type { GivenTable } from '../adminProgram.ts';

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
