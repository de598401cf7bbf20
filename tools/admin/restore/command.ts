import { OperatorError } from '../../../lib/operator/accounts.ts';
import { RateLimiter } from '../../../lib/operator/rateLimiter.ts';
import { copyBack } from '../../../lib/operator/restore/copyBack.ts';
import type { CopyOutcome } from '../../../lib/operator/restore/copyOutcome.ts';
import { needsDecision } from '../../../lib/operator/restore/copyOutcome.ts';
import { usageError } from '../../cli/arguments.ts';
import { CommandError } from '../../cli/commandError.ts';
import type { TableLocation } from '../../cli/findTable.ts';
import { findTable } from '../../cli/findTable.ts';
import { openTable } from '../../cli/openTable.ts';
import { print } from '../../cli/print.ts';
import { runCommand } from '../../cli/runCommand.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { usingTable } from '../../cli/usingTable.ts';
import { help, type RestoreArguments, readArguments } from './options.ts';
import { type Counts, outcomeText, progressText, summaryText } from './outcomeText.ts';
import { type RestoredTable, restoreToNewTable } from './restoreToNewTable.ts';

/** @returns the exit code */
async function restore(given: RestoreArguments): Promise<number> {
  const location = await findTable(given.environment, given.table);
  if (given.from === location.table) throw usageError("Option '--from' names the table in use");
  const printLine = given.json ? () => undefined : print;
  const restored =
    given.from === undefined ? await restoreToNewTable(location, given, printLine) : { from: given.from };
  if (given.copies) return copy(location, restored, given, printLine);
  print(given.json ? JSON.stringify(restored) : `The table ${restored.from} is ready; nothing was copied from it.`);
  return 0;
}

/** @returns the exit code */
async function copy(
  location: TableLocation,
  { from, findings }: RestoredTable,
  { to, began, scope, isDryRun, json, segments, rate, environment }: RestoreArguments,
  printLine: (line: string) => void,
): Promise<number> {
  const [restored, live] = [openTable({ ...location, table: from }), openTable(location)];
  const results: CopyOutcome[] = [];
  const counts: Counts = { records: 0, items: 0, putBack: 0, newer: 0, left: 0 };
  const shown = showProgress(() => progressText(counts));
  const report = (outcome: CopyOutcome): void => {
    addTo(counts, outcome);
    if (json) results.push(outcome);
    const isQuiet = outcome.of === 'item' && outcome.result === 'newer' && scope.items === undefined;
    if (isQuiet) return;
    shown.clear();
    printLine(outcomeText(outcome, isDryRun));
  };
  const limiter = new RateLimiter(rate, live.database.clock);
  const source = { scan: restored.source, database: restored.database };
  await usingTable(`${location.table} or ${from}`, () =>
    copyBack(source, live.database, scope, { to, began, isDryRun, segments, limiter, progress: counts, report }),
  ).finally(shown.end);
  print(
    json
      ? JSON.stringify({ from, table: location.table, findings, ...counts, results })
      : summaryText(counts, isDryRun),
  );
  if (!isDryRun && counts.putBack > 0)
    printLine(`Now verify the table: npm run verify-table -- ${environment ? `--env ${environment} ` : ''}--repair`);
  return counts.left === 0 && !(isDryRun && counts.putBack > 0) ? 0 : 1;
}

function addTo(counts: Counts, outcome: CopyOutcome): void {
  if (needsDecision(outcome)) counts.left += 1;
  else if (outcome.of === 'item' && outcome.result === 'newer') counts.newer += 1;
  else if (outcome.of !== 'tokens') counts.putBack += 1;
}

await runCommand(async (args) => {
  const given = readArguments(args, Date.now());
  if (given !== 'help')
    return restore(given).catch((error: unknown) => {
      throw error instanceof OperatorError ? new CommandError(error.message) : error;
    });
  print(help);
  return 0;
});
