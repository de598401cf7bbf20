import { showProgress } from '../../cli/showProgress.ts';
import { usingTable } from '../../cli/usingTable.ts';
import { inParallel } from '../table/inParallel.ts';
import type { OpenTable } from '../table/openTable.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import type { Finding } from './checks.ts';
import { findingText, repairText } from './findingText.ts';
import { type Repair, repair } from './repair.ts';
import { type Progress, rateLimitedRecords, verifyTable } from './verifyTable.ts';

export type FindingResult = { readonly finding: Finding } & Repair;

/**
 * Verifies a table, and prints the progress, each finding and a summary.
 * @param repairs whether to repair the findings that need no decision
 * @throws CommandError if the table cannot be used
 */
export async function printFindings(
  { database, source }: OpenTable,
  { repairs, segments, rate }: { readonly repairs: boolean; readonly segments: number; readonly rate: number },
  printLine: (line: string) => void,
) {
  const limiter = new RateLimiter(rate, database.clock);
  const records = rateLimitedRecords(database, limiter);
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const results: FindingResult[] = [];
  const endProgress = showProgress(() => verifyProgressText(progress, repairs ? results.length : undefined));
  await usingTable(database.table, async () => {
    const findings = await verifyTable(source, records, { segments, limiter, now: database.clock.now, progress });
    await inParallel(repairs ? segments : 1, findings.values(), async (finding) => {
      const outcome = repairs
        ? await repair(database, records, limiter, finding)
        : { repaired: [], remaining: finding };
      results.push({ finding, ...outcome });
      printLine(repairs ? `${findingText(finding)} ${repairText(outcome)}` : findingText(finding));
    });
  }).finally(endProgress);
  const remaining = results.filter((result) => result.remaining !== undefined).length;
  const units = Math.ceil(limiter.spent);
  printLine(summaryText(progress.records, units, results.length, remaining));
  return { records: progress.records, units, remaining, results };
}

/** @param repaired number of findings processed so far; undefined if findings are not repaired */
function verifyProgressText({ records, suspects, rechecked }: Progress, repaired: number | undefined): string {
  const scanned = `${count(records)} records scanned`;
  if (suspects === 0) return scanned;
  const checked = `${scanned}, ${count(rechecked)} of ${count(suspects)} suspects rechecked`;
  return rechecked < suspects || repaired === undefined ? checked : `${checked}, ${count(repaired)} findings processed`;
}

function summaryText(records: number, units: number, found: number, remaining: number): string {
  const scanned = `${count(records)} records scanned with ${count(units)} capacity units`;
  if (found === 0) return `${scanned}: the table is consistent.`;
  const repaired = found === remaining ? '' : `, ${count(found - remaining)} of them repaired`;
  return `${scanned}: ${count(found)} ${found === 1 ? 'finding' : 'findings'}${repaired}.`;
}

const count = (number: number): string => number.toLocaleString('en');
