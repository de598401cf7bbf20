import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { findTable } from '../../cli/findStack.ts';
import { print, shellQuoted } from '../../cli/print.ts';
import { usageError, valueOption } from '../../cli/program.ts';
import { usingTable } from '../../cli/usingTable.ts';
import { settingsOf } from '../../infra/environments.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import type { TableLocation } from '../../lib/store/sdk/connect.ts';
import type { AdminProgram } from '../adminProgram.ts';
import { accountOption, itemIdList, pastTime, rateOption, tableOption } from '../options.ts';
import { openTable, patientClient } from '../table/openTable.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { type FindingResult, printFindings } from '../verification/verifyTable.ts';
import { copyBack } from './copyBack.ts';
import {
  type CopyOutcome,
  type Counts,
  needsDecision,
  noCounts,
  outcomeText,
  restoreProgressText,
  summaryText,
} from './copyOutcome.ts';
import { protectTable, requireRestored, restoredName, restoreTable } from './restoreTable.ts';

const description = `Puts back what an environment's table has lost since a time, while the service keeps running: restores the table to a new one by point-in-time recovery, verifies and repairs that, and copies back what is missing, item by item.

It can be interrupted at any time and run again with the same time: it continues with the table that it has restored. It never puts back tokens, because a missing one may have been revoked; older values of what is not missing, which item undo does; or items whose identifier belongs to another item by now. It is done when nothing is lost any more, except tokens.`;

const permissions = `
You need cloudformation:DescribeStacks on the stack. On its table: dynamodb:DescribeTable,
dynamodb:DescribeContinuousBackups, dynamodb:RestoreTableToPointInTime, dynamodb:GetItem, dynamodb:BatchGetItem,
dynamodb:Query, and unless it is a dry run dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem and
dynamodb:DeleteItem. On the new one, whose name is the table's with -restored- and the time: dynamodb:GetItem,
dynamodb:BatchGetItem, dynamodb:Query, dynamodb:Scan, dynamodb:ConditionCheckItem, dynamodb:PutItem,
dynamodb:UpdateItem, dynamodb:DeleteItem, dynamodb:BatchWriteItem, dynamodb:DescribeTable,
dynamodb:UpdateTable, dynamodb:DescribeTimeToLive, dynamodb:UpdateTimeToLive and dynamodb:UpdateContinuousBackups.`;

export function addRestoreCommand(admin: AdminProgram): void {
  const command = restoreCommand(admin);
  command.action(() => restore(command.optsWithGlobals()));
}

const restoreCommand = (admin: AdminProgram) =>
  admin
    .command('restore')
    .summary('Puts back what a table has lost since a time.')
    .description(description)
    .addOption(
      valueOption(
        '--to <time>',
        'a moment before the loss, such as 2026-11-21T22:15:00Z or with an offset (+01:00), rounded down to a second',
        // DynamoDB restores to whole seconds.
        pastTime.transform((time) => Math.floor(time / 1_000) * 1_000),
      ).makeOptionMandatory(),
    )
    .addOption(accountOption('only what this account has lost'))
    .addOption(valueOption('--items <ids>', 'only these items of the account: ids, separated by commas', itemIdList))
    .option('--dry-run', 'only show what would be put back, and write to no table; the new table is still restored')
    .option('--restore-only', 'restore, protect, verify and repair the new table, or that of --from, and copy nothing')
    .addOption(
      valueOption(
        '--from <table>',
        'copy from this table, which was already restored to that time; it is not verified',
        z.string(),
      ),
    )
    .option('--any-source', 'accept a --from that was not restored from the table in use as of that time')
    .addOption(tableOption("put back into another table in the same place, such as a rehearsal's"))
    .addOption(rateOption())
    .addHelpText('after', permissions);

type Given = ReturnType<ReturnType<typeof restoreCommand>['optsWithGlobals']>;

/** @throws CommandError if options do not fit each other */
function requireFitting({ env, account, items, restoreOnly, from }: Given): void {
  if (env === undefined && from === undefined)
    throw usageError("Name the environment with '--env', or a table that was already restored with '--from'");
  if (restoreOnly === true && env === undefined)
    throw usageError("Option '--restore-only' needs '--env', whose settings say how to protect the table");
  if (items !== undefined && account === undefined) throw usageError("Option '--items' needs '--account'");
}

async function restore(given: Given): Promise<void> {
  requireFitting(given);
  const { env, to, from, dryRun: isDryRun = false, json = false, restoreOnly = false, anySource = false } = given;
  const location = await findTable(env, given.table);
  const { table } = location;
  if (from === table && !restoreOnly) throw usageError("Option '--from' names the table in use");
  const target = from ?? restoredName(table, to);
  if (from !== undefined)
    await usingTable(from, () => requireRestored(patientClient(location), { table, target, to }, anySource));
  const printLine = json ? () => undefined : print;
  const isNew = from === undefined || restoreOnly;
  const findings = isNew ? await prepareTable(location, target, given, printLine) : undefined;
  if (restoreOnly)
    return print(
      json ? JSON.stringify({ from: target, findings }) : `The table ${target} is ready; nothing was copied from it.`,
    );
  const { results, writers, ...counts } = await copy(location, target, given, printLine);
  print(json ? JSON.stringify({ from: target, table, findings, ...counts, results }) : summaryText(counts, isDryRun));
  const place = env === undefined ? '' : ` --env ${env}`;
  for (const [account, users] of writers) printLine(undoText(place, account, [...users], to));
  if (!isDryRun && counts.putBack > 0) printLine(`Now verify the table: npm run admin -- verify${place} --repair`);
  process.exitCode = counts.left === 0 && !(isDryRun && counts.putBack > 0) ? 0 : 1;
}

/**
 * Restores the table to a new one, unless that was already done; protects it as the environment's settings say, and
 * verifies and repairs it, because a restore can contain only part of a transaction.
 * @throws CommandError if that is not possible
 */
async function prepareTable(
  location: TableLocation,
  target: string,
  { env, to, from, dryRun, rate }: Given,
  printLine: (line: string) => void,
): Promise<readonly FindingResult[] | undefined> {
  // Only a table that was already restored needs no environment.
  if (env === undefined) return undefined;
  const { table } = location;
  const client = patientClient(location);
  printLine(
    from === undefined
      ? `Restoring ${table} as of ${new Date(to).toISOString()} to ${target}.`
      : `Protecting ${target} against loss.`,
  );
  const began = Date.now();
  const prepare = async () => {
    if (from === undefined) await restoreTable(client, { table, target, to }, sleep);
    await protectTable(client, target, settingsOf(env), sleep);
  };
  await usingTable(target, prepare, () => `waiting for ${Math.floor((Date.now() - began) / 60_000)} minutes`);
  printLine(`Verifying ${target}.`);
  const restored = openTable({ ...location, table: target });
  return (await printFindings(restored, { repairs: dryRun !== true, rate }, printLine)).results;
}

/** The command that takes back what users have written to the items of an account since. */
const undoText = (place: string, account: string, users: readonly string[], from: EpochMs): string =>
  `To take newer values of the account ${account} back: npm run admin -- item undo${place} --account ${account} ` +
  `${users.map((user) => `--user ${shellQuoted(user)}`).join(' ')} --from ${new Date(from).toISOString()} --dry-run`;

/** @returns the counts, the outcomes for `--json`, and by account the users who last wrote items with newer values */
async function copy(
  location: TableLocation,
  from: string,
  { account, items, to, dryRun, rate, json }: Given,
  printLine: (line: string) => void,
) {
  const isDryRun = dryRun === true;
  const [restored, live] = [openTable({ ...location, table: from }), openTable(location)];
  const results: CopyOutcome[] = [];
  const counts: Counts = { ...noCounts };
  const writers = new Map<string, Set<string>>();
  const report = (outcome: CopyOutcome): void => {
    addTo(counts, outcome);
    if (outcome.of === 'item' && outcome.result === 'kept')
      writers.set(outcome.account, (writers.get(outcome.account) ?? new Set()).add(outcome.writtenBy));
    if (json === true) results.push(outcome);
    printLine(outcomeText(outcome, isDryRun));
  };
  const limiter = new RateLimiter(rate, live.database.clock);
  const tables = { restored: restored.database, live: live.database };
  await usingTable(
    `${location.table} or ${from}`,
    () => copyBack(restored.source, { account, items }, { ...tables, to, isDryRun, limiter, progress: counts, report }),
    () => restoreProgressText(counts),
  );
  return { ...counts, results, writers };
}

function addTo(counts: Counts, outcome: CopyOutcome): void {
  if (needsDecision(outcome)) counts.left += 1;
  else if (outcome.of === 'item' && outcome.result === 'kept') counts.kept += 1;
  else if (outcome.of !== 'tokens') counts.putBack += 1;
}
