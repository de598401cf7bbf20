import { type CopyScope, copyBack } from '../../../admin/restore/copyBack.ts';
import type { CopyOutcome } from '../../../admin/restore/copyOutcome.ts';
import type { ScanSource } from '../../../admin/table/scanTable.ts';
import { Database } from '../../../lib/store/database/database.ts';
import type { Clock } from '../../../lib/store/database/retryPolicy.ts';
import { unlimited } from '../damage/verifier.ts';
import { batch, put, stored } from './storedRecords.ts';
import { createTestTable, type TestTable } from './testTable.ts';

/** Copies a table, as restoring it to this moment would. */
export async function copyOf(table: TestTable): Promise<TestTable> {
  const copy = await createTestTable();
  await batch(copy, (await stored(table)).map(put));
  return copy;
}

interface CopyArguments {
  /** The restored table's time, in milliseconds since 1970. */
  readonly to: number;
  readonly isDryRun?: boolean;
  readonly clock?: Clock;
}

type Reached = Pick<ScanSource, 'client' | 'table'>;

/** Copies back what was lost, without a rate limit. @returns what was reported */
export async function copyLost(
  from: Reached,
  { client, table }: Reached,
  scope: CopyScope,
  { to, clock, isDryRun = false }: CopyArguments,
): Promise<CopyOutcome[]> {
  const outcomes: CopyOutcome[] = [];
  await copyBack(from, scope, {
    restored: new Database(from.client, from.table, clock),
    live: new Database(client, table, clock),
    ...{ to, isDryRun, limiter: unlimited(clock), progress: { records: 0, items: 0 } },
    report: (outcome) => outcomes.push(outcome),
  });
  return outcomes;
}
