import type { Progress } from '../../../lib/operator/verification/verifyTable.ts';

/** @param repaired number of findings processed so far; undefined if findings are not repaired */
export function progressText({ records, suspects, rechecked }: Progress, repaired: number | undefined): string {
  const scanned = `${count(records)} records scanned`;
  if (suspects === 0) return scanned;
  const checked = `${scanned}, ${count(rechecked)} of ${count(suspects)} suspects rechecked`;
  return rechecked < suspects || repaired === undefined ? checked : `${checked}, ${count(repaired)} findings processed`;
}

/**
 * The last line of the output.
 * @param units capacity units used
 * @param remaining findings that were not repaired
 */
export function summaryText(records: number, units: number, findings: number, remaining: number): string {
  const scanned = `${count(records)} records scanned with ${count(units)} capacity units`;
  if (findings === 0) return `${scanned}: the table is consistent.`;
  const repaired = findings === remaining ? '' : `, ${count(findings - remaining)} of them repaired`;
  return `${scanned}: ${count(findings)} ${findings === 1 ? 'finding' : 'findings'}${repaired}.`;
}

const count = (number: number): string => number.toLocaleString('en');
