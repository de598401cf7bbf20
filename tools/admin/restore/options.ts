import { type EnvironmentName, environmentNames } from '../../../infra/environments.ts';
import { accountId } from '../../../lib/access/accountId.ts';
import type { EpochMs } from '../../../lib/item/epoch.ts';
import type { CopyScope } from '../../../lib/operator/restore/copyBack.ts';
import { parseEnvironment, readOptions, usageError, wholeNumber } from '../../cli/arguments.ts';
import { maximum } from '../verify/options.ts';

export const help = `Puts back what an environment's table has lost since a time, while the service keeps running: restores
the table to a new one by point-in-time recovery, verifies and repairs that, and copies back what is missing or damaged,
item by item.

  npm run restore -- ${environmentNames.join('|')} --to TIME [options]

  --to TIME              a moment before the loss, to the second, such as 2026-11-21T22:15:00Z or with an offset (+01:00)
  --account ACCOUNT      only what this account has lost
  --items ID,ID,…        only these items of the account; this also overwrites newer values with the older ones
  --dry-run              only show what would be put back, and write to no table; the new table is still restored
  --restore-only         restore, verify and repair the new table, and copy nothing
  --from TABLE           copy from this table, which was already restored to that time; it is not verified. Without an
                         environment, use the service on this machine
  --table NAME           put back into another table in the same place, such as a rehearsal's
  --segments N           parts of the tables to read in parallel, 1 to ${maximum.segments} (default 4)
  --rate N               maximum capacity units per second to use, 1 to ${maximum.rate} (default 500)
  --json                 print JSON, for programs, with the items that have newer values
  --help                 show this help

It can be interrupted at any time and run again with the same time: it continues with the table that it has restored.
It never puts back tokens, because a missing one may have been revoked; items with newer values, unless --items names
them; or items whose sku or pn belongs to another item by now.

Exit code: 0 if nothing is lost any more (except tokens), 1 if something is left to you, would be put back, or a table cannot be used, 2 for
wrong arguments.

You need cloudformation:DescribeStacks on the stack. On its table: dynamodb:DescribeContinuousBackups,
dynamodb:RestoreTableToPointInTime, dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:Query, and unless it is a dry run
dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem and dynamodb:DeleteItem. On the new one, whose name is
the table's with -restored- and the time: dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:Query, dynamodb:Scan,
dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem, dynamodb:BatchWriteItem,
dynamodb:DescribeTable, dynamodb:UpdateTable, dynamodb:DescribeTimeToLive, dynamodb:UpdateTimeToLive and
dynamodb:UpdateContinuousBackups.`;

export interface RestoreArguments {
  /** Undefined means the service on this machine. */
  readonly environment: EnvironmentName | undefined;
  readonly to: EpochMs;
  /** When the command began. */
  readonly began: EpochMs;
  readonly scope: CopyScope;
  readonly isDryRun: boolean;
  readonly copies: boolean;
  /** A table that was already restored. */
  readonly from: string | undefined;
  readonly table: string | undefined;
  readonly json: boolean;
  readonly segments: number;
  readonly rate: number;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  ...{ to: text, account: text, items: text, from: text, table: text, segments: text, rate: text },
  ...{ 'dry-run': flag, 'restore-only': flag, json: flag, help: flag },
};

/**
 * @throws CommandError if an argument is wrong
 */
export function readArguments(args: readonly string[], now: EpochMs): RestoreArguments | 'help' {
  const [first, ...rest] = args;
  const named = first !== undefined && !first.startsWith('-');
  const given = readOptions(named ? rest : args, options);
  if (given.help) return 'help';
  const environment = named ? parseEnvironment(first) : undefined;
  const { from, table, json } = given;
  if (environment === undefined && from === undefined)
    throw usageError('Name the environment, or a table that was already restored with --from');
  if (given['restore-only'] && from !== undefined)
    throw usageError("Option '--restore-only' restores a table, and '--from' names one that is");
  return {
    ...{ environment, from, table, json, isDryRun: given['dry-run'], copies: !given['restore-only'] },
    to: givenTime(given.to, now),
    began: now,
    scope: givenScope(given),
    segments: wholeNumber('segments', given.segments, { initial: 4, most: maximum.segments }),
    rate: wholeNumber('rate', given.rate, { initial: 500, most: maximum.rate }),
  };
}

/** Without this check, 30 February would be 2 March. */
const isDay = (day: string): boolean => {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

/** The offset is required, because a time without one is ambiguous. */
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/;

function givenTime(given = '', now: EpochMs): number {
  const time = timeForm.test(given) && isDay(given.slice(0, 10)) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(time)) throw usageError("Option '--to' must be a time such as 2026-11-21T22:15:00Z");
  if (time >= now) throw usageError("Option '--to' must be a time in the past");
  return time;
}

function givenScope({ account, items }: { account?: string | undefined; items?: string | undefined }): CopyScope {
  if (account !== undefined && !accountId.test(account)) throw usageError("Option '--account' must be an account's id");
  if (items === undefined) return { account };
  if (account === undefined) throw usageError("Option '--items' needs '--account'");
  const ids = items.split(',').map(Number);
  if (!/^\d{1,16}(,\d{1,16})*$/.test(items) || !ids.every((id) => id > 0 && Number.isSafeInteger(id)))
    throw usageError("Option '--items' must be ids, separated by commas");
  return { account, items: [...new Set(ids)] };
}
