import { setTimeout as sleep } from 'node:timers/promises';
import { Pace } from '../../lib/operator/verification/rateLimiter.ts';
import type { Finding } from '../../lib/operator/verification/recheck.ts';
import { mend } from '../../lib/operator/verification/repair.ts';
import type { ScanSource } from '../../lib/operator/verification/scanTable.ts';
import type { Progress } from '../../lib/operator/verification/verifyTable.ts';
import { pacedRecords, verifyTable } from '../../lib/operator/verification/verifyTable.ts';
import type { TestTable } from './testTable.ts';

/** As fast as it goes. */
export const unhurried = () => new Pace(1_000_000, { now: Date.now, sleep });

/** What a verification needs of a table; what it has come to is in `progress`. */
export function verifier(table: TestTable, source: ScanSource = table, segments = 4) {
  const pace = unhurried();
  const progress: Progress = { records: 0, doubts: 0, judged: 0 };
  const records = pacedRecords(table.database, pace);
  return {
    progress,
    verify: () => verifyTable(source, records, { segments, pace, now: Date.now, progress }),
    mend: (finding: Finding) => mend(table.database, records, pace, finding),
  };
}
