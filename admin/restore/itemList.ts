import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';

/** The items to put back by their ids, each with the revision at which its newer values may be overwritten. */
interface ItemList {
  readonly items: ReadonlyMap<number, number | undefined>;
  /** The tables of the dry run that listed them; omitted if only their ids are given. */
  readonly tables?: Tables;
}

/** The restored table, and the one in use. */
export interface Tables {
  readonly from: string;
  readonly table: string;
}

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
 * @param given ids, or the name of a file with the JSON of a dry run
 * @throws CommandError if it is not such a file
 */
export function readItemList(given: readonly number[] | string, account: string): ItemList {
  if (typeof given !== 'string') return { items: new Map(given.map((id) => [id, undefined])) };
  const { results, ...tables } = readDryRun(given);
  const items = results.flatMap((one) =>
    'id' in one && one.account === account ? [[one.id, one.revision] as const] : [],
  );
  return { items: new Map(items), tables };
}

function readDryRun(file: string): z.output<typeof dryRun> {
  try {
    return dryRun.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new CommandError(`The file ${file} is not the output of a dry run with --json.`, 1, { cause });
  }
}
