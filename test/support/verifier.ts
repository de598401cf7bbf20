import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../lib/operator/verification/finding.ts';
import { RateLimiter } from '../../lib/operator/verification/rateLimiter.ts';
import { repair } from '../../lib/operator/verification/repair.ts';
import type { ScanSource } from '../../lib/operator/verification/scanTable.ts';
import type { Progress } from '../../lib/operator/verification/verifyTable.ts';
import { rateLimitedRecords, verifyTable } from '../../lib/operator/verification/verifyTable.ts';
import type { Clock } from '../../lib/store/database/retryPolicy.ts';
import type { TestTable } from './testTable.ts';

/** No rate limit. */
export const unlimited = (clock: Pick<Clock, 'now' | 'sleep'> = { now: Date.now, sleep }) =>
  new RateLimiter(1_000_000, clock);

/** What a verification needs of a table. Its state is in `progress`. */
export function verifier(table: TestTable, source: ScanSource = table, segments = 4) {
  const limiter = unlimited();
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const records = rateLimitedRecords(table.database, limiter);
  return {
    progress,
    verify: () => verifyTable(source, records, { segments, limiter, now: Date.now, progress }),
    repair: (finding: Finding) => repair(table.database, records, limiter, finding),
  };
}
