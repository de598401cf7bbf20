import type { Database } from '../../lib/store/database/database.ts';
import { getRecord, queryPartition } from '../../lib/store/database/reads.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { keyIn, parseKey } from '../../lib/store/records/parseKey.ts';
import { inParallel } from '../table/inParallel.ts';
import { timedSession } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { readUnits, type ScanSource, scanTable, segments } from '../table/scanTable.ts';
import type { Records } from './check.ts';
import { checks, type Finding } from './checks.ts';

/** Counts, updated as a verification runs: scanned records, suspects among them, and rechecked suspects. */
export interface Progress {
  records: number;
  suspects: number;
  rechecked: number;
}

/**
 * Finds every violated invariant in a table. Writes nothing, and can run during live traffic: the scan reads items and
 * guards at different times, so every suspect is rechecked before it becomes a finding.
 * @param limiter also of the rechecks
 */
export async function verifyTable(
  source: ScanSource,
  records: Records,
  { limiter, now, progress }: { limiter: RateLimiter; now: () => number; progress: Progress },
): Promise<Finding[]> {
  const collected = checks.map((check) => ({ check, collector: check.collect() }));
  await scanTable(source, limiter, (page) => {
    for (const record of page) {
      const key = parseKey(keyIn(record));
      for (const { collector } of collected) collector.add(record, key, now());
    }
    progress.records += page.length;
  });
  const suspects = collected.flatMap(({ check, collector }) =>
    collector.suspects().map((suspect) => ({ check, suspect })),
  );
  progress.suspects = suspects.length;
  const findings: (Finding | undefined)[] = [];
  await inParallel(segments, suspects.entries(), async ([index, { check, suspect }]) => {
    findings[index] = await check.recheck(records, suspect, now());
    progress.rechecked += 1;
  });
  return findings.filter((finding) => finding !== undefined);
}

export const rateLimitedRecords = (database: Database, limiter: RateLimiter): Records => ({
  get: async (key) =>
    canExist(key) ? limiter.run(1, () => getRecord(timedSession(database), key), readUnits) : undefined,
  query: (partition) => limiter.run(1, () => queryPartition(timedSession(database), partition), readUnits),
});

/** Whether a key is within DynamoDB's limits. A key derived from a damaged record may be too long. */
const canExist = ({ pk, sk }: Key): boolean => Buffer.byteLength(pk) <= 2_048 && Buffer.byteLength(sk) <= 1_024;
