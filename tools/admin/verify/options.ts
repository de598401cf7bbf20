import type { EnvironmentName } from '../../../infra/environments.ts';
import { environmentNames } from '../../../infra/environments.ts';
import { parseEnvironment, readOptions, wholeNumber } from '../../cli/arguments.ts';

export const maximum = { segments: 100, rate: 100_000 };

export const help = `Checks that a table is consistent: every sku and pn of an item has a guard, every guard has its item, no sku or pn is
used twice, no id is above its counter, every item is listed under its name, every record can be read and holds valid
numbers, every unit and category exists, every token matches its entry in the account's list, and only records that should
expire do.
The service can keep running: a record that changes during the scan is checked again before it is reported.

  npm run verify-table -- [options]

  --env ${environmentNames.join('|')} use a deployed environment instead of the service on this machine
  --table NAME           check another table in the same place, such as one restored from a backup
  --repair               repair guards, counters, revisions, lists and expiries, for example after a restore from a
                         backup. You must still decide which item keeps a duplicate sku or pn, and what to do about
                         unreadable records, tokens, invalid numbers and lost data
  --segments N           parts of the table to read in parallel, 1 to ${maximum.segments} (default 4)
  --rate N               maximum capacity units per second to use, 1 to ${maximum.rate} (default 500)
  --json                 print JSON, for programs
  --help                 show this help

Exit code: 0 if the table is consistent, 1 if something is left to fix or the table cannot be read, 2 for wrong arguments.

For a deployed table you need cloudformation:DescribeStacks on the stack and, on the table, dynamodb:Scan,
dynamodb:GetItem and dynamodb:Query; with --repair also dynamodb:ConditionCheckItem, dynamodb:PutItem,
dynamodb:DeleteItem and dynamodb:UpdateItem. Without --repair nothing is written.`;

export interface VerifyOptions {
  readonly env: EnvironmentName | undefined;
  readonly table: string | undefined;
  readonly repair: boolean;
  readonly json: boolean;
  readonly segments: number;
  readonly rate: number;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = { env: text, table: text, repair: flag, json: flag, help: flag, segments: text, rate: text };

/** @throws CommandError if an argument is wrong */
export function readArguments(args: readonly string[]): VerifyOptions | 'help' {
  const { env, help: helpWanted, segments, rate, ...given } = readOptions(args, options);
  if (helpWanted) return 'help';
  return {
    ...given,
    env: env === undefined ? undefined : parseEnvironment(env),
    table: given.table,
    segments: wholeNumber('segments', segments, { initial: 4, most: maximum.segments }),
    rate: wholeNumber('rate', rate, { initial: 500, most: maximum.rate }),
  };
}
