import { usingTable } from '../../cli/usingTable.ts';
import { count } from '../columns.ts';
import type { OpenTable } from '../table/openTable.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { inParallel, segments } from '../table/scanTable.ts';
import {
  type Finding,
  findingText,
  type Progress,
  type Repair,
  rateLimitedRecords,
  repair,
  repairText,
  verifyTable,
} from './verifyTable.ts';

export type FindingResult = { readonly finding: Finding } & Repair;

/** Whether a guard reserves an identifier for an item that does not exist, because it was perhaps lost. */
const isOfMissingItem = (finding: Finding): boolean =>
  finding.kind === 'guard orphaned' &&
  finding.items.some(({ id, state }) => id === finding.owner && state === 'absent');

const lostText =
  'Items may be lost: restore them before you repair, which frees their identifiers for others. Page: docs/operations.md#restore';

/**
 * Verifies a table, and prints the progress, how many findings there are of each kind, each finding and a summary.
 * @param repairs whether to repair the findings that need no decision
 * @param allowLoss called before repairs with the number of guards of missing items, which they delete; throws to prevent
 * that. Undefined for a restored table, whose items are all that there are
 * @throws CommandError if the table cannot be used
 */
export async function printFindings(
  open: OpenTable,
  { repairs, rate }: { readonly repairs: boolean; readonly rate: number },
  printLine: (line: string) => void,
  allowLoss?: (guards: number) => Promise<void>,
) {
  const { database } = open;
  const table = { ...open, limiter: new RateLimiter(rate, database.clock) };
  const records = rateLimitedRecords(table);
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const results: FindingResult[] = [];
  const working = <Done>(work: () => Promise<Done>): Promise<Done> =>
    usingTable(database.table, work, () => verifyProgressText(progress, results.length));
  const findings = await working(() => verifyTable(table, records, progress));
  printKinds(findings, printLine);
  const missing = allowLoss === undefined ? 0 : findings.filter(isOfMissingItem).length;
  const printLoss = () => missing > 0 && printLine(lostText);
  printLoss();
  if (repairs) await allowLoss?.(missing);
  await working(() =>
    inParallel(repairs ? segments : 1, findings.values(), async (finding) => {
      const outcome = repairs ? await repair(table, records, finding) : { repaired: [], remaining: finding };
      results.push({ finding, ...outcome });
      printLine(repairs ? `${findingText(finding)} ${repairText(outcome)}` : findingText(finding));
    }),
  );
  const remaining = results.filter((result) => result.remaining !== undefined).length;
  const units = Math.ceil(table.limiter.spent);
  // Again, because the first line of many is out of sight.
  if (!repairs) printLoss();
  printLine(summaryText(progress.records, units, results.length, remaining));
  return { records: progress.records, units, remaining, results };
}

/** Prints the number of findings of each kind, because there can be hundreds. */
function printKinds(findings: readonly Finding[], printLine: (line: string) => void): void {
  if (findings.length < 2) return;
  for (const [kind, { length }] of Map.groupBy(findings, (finding) => finding.kind))
    printLine(`${kind}: ${count(length)}`);
}

const verifyProgressText = ({ records, suspects, rechecked }: Progress, processed: number): string =>
  `${count(records)} records scanned, ${count(rechecked)} of ${count(suspects)} suspects rechecked, ${count(processed)} findings processed`;

function summaryText(records: number, units: number, found: number, remaining: number): string {
  const scanned = `${count(records)} records scanned with ${count(units)} capacity units`;
  if (found === 0) return `${scanned}: the table is consistent.`;
  const repaired = found === remaining ? '' : `, ${count(found - remaining)} of them repaired`;
  return `${scanned}: ${count(found)} ${found === 1 ? 'finding' : 'findings'}${repaired}.`;
}
