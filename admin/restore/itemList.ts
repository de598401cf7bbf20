import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';
import type { ItemRevisions } from './itemCopier.ts';

const named = { of: z.literal('item'), account: z.string(), id: z.int().positive() };
const fields = z.record(z.string(), z.object({ now: z.json(), before: z.json() }));
const result = z.union([
  // A revision comes with both values, so that nothing is overwritten that is not in a file.
  z.object({ ...named, revision: z.int(), fields }),
  z.object({ ...named, revision: z.undefined().optional() }),
  z.object({ of: z.string().refine((of) => of !== 'item') }),
]);
const dryRun = z.object({ from: z.string(), table: z.string(), results: z.array(result) });

/**
 * Reads which items to put back.
 * @param given ids, or the name of a file with the JSON of a dry run
 * @param tables the restored table and the one in use, which the dry run must have compared
 * @returns the revisions at which newer values may be overwritten, by the ids of the items
 * @throws CommandError if it is not such a file
 */
export function readItemList(
  given: readonly number[] | string,
  account: string,
  tables: { readonly from: string; readonly table: string },
): ItemRevisions {
  if (typeof given !== 'string') return new Map(given.map((id) => [id, undefined]));
  const { from, table, results } = readDryRun(given);
  if (from !== tables.from || table !== tables.table)
    throw new CommandError(`The items were listed for ${table} and ${from}, not for these tables.`);
  return new Map(
    results.flatMap((one) => ('id' in one && one.account === account ? [[one.id, one.revision] as const] : [])),
  );
}

function readDryRun(file: string): z.output<typeof dryRun> {
  try {
    return dryRun.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new CommandError(`The file ${file} is not the output of a dry run with --json.`, 1, { cause });
  }
}
