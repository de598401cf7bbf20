import { timedContext } from '../../catalog/requestContext.ts';
import type { Database } from '../../store/database/database.ts';
import type { StoredRecord } from '../../store/database/documentClient.ts';
import type { Key } from '../../store/records/keys.ts';
import { keyIn } from '../../store/records/parseKey.ts';
import { CrossCheck } from './crossCheck.ts';
import type { Finding, Records } from './finding.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { recheck } from './recheck.ts';
import type { ScanSource } from './scanTable.ts';
import { scanTable, sizeOf } from './scanTable.ts';

/** The progress of a verification, updated as it runs. */
export interface Progress {
  /** Records that were scanned. */
  records: number;
  /** Suspects found by the scan, and how many of them have been rechecked. */
  suspects: number;
  rechecked: number;
}

/**
 * Finds every violated invariant in a table. Writes nothing, and can run during live traffic: the scan reads items and
 * guards at different times, so every suspect is rechecked before it becomes a finding.
 * @param source the table, for the scan
 * @param records the same table, for rechecks
 * @param segments number of parts of the table to scan in parallel, and of suspects to recheck in parallel
 */
export async function verifyTable(
  source: ScanSource,
  records: Records,
  {
    segments,
    limiter,
    now,
    progress,
  }: { segments: number; limiter: RateLimiter; now: () => number; progress: Progress },
): Promise<Finding[]> {
  const crossCheck = new CrossCheck();
  await scanTable(source, { segments, limiter }, (page) => {
    for (const record of page) crossCheck.add(record, now());
    progress.records += page.length;
  });
  const suspects = [...crossCheck.suspects()];
  progress.suspects = suspects.length;
  const findings: (Finding | undefined)[] = [];
  await inParallel(segments, suspects.entries(), async ([index, suspect]) => {
    findings[index] = await recheck(records, suspect, now());
    progress.rechecked += 1;
  });
  return findings.filter((finding) => finding !== undefined);
}

/**
 * Finds every violated invariant in a snapshot of all records of a table.
 * @param now milliseconds since 1970
 */
export async function verifyRecords(all: readonly StoredRecord[], now: number): Promise<Finding[]> {
  const crossCheck = new CrossCheck();
  for (const record of all) crossCheck.add(record, now);
  const nameOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
  const named = new Map(all.map((record) => [nameOf(keyIn(record)), record]));
  const records: Records = {
    get: async (key) => named.get(nameOf(key)),
    query: async (partition) => all.filter((record) => keyIn(record).pk === partition),
  };
  const findings = await Promise.all([...crossCheck.suspects()].map((suspect) => recheck(records, suspect, now)));
  return findings.filter((finding) => finding !== undefined);
}

/** Timeout for one read including all retries, in milliseconds. */
const readTimeout = 30_000;

/** Reads records through a rate limiter. */
export function rateLimitedRecords(database: Database, limiter: RateLimiter): Records {
  const context = () => timedContext(database.clock.now() + readTimeout);
  return {
    get: async (key) => (canExist(key) ? limiter.run(1, () => database.get(context(), key), unitsOf) : undefined),
    query: (partition) => limiter.run(1, () => database.query(context(), partition), unitsOf),
  };
}

/** Whether a key is within DynamoDB's limits. A key derived from a damaged record may be too long. */
const canExist = ({ pk, sk }: Key): boolean => Buffer.byteLength(pk) <= 2_048 && Buffer.byteLength(sk) <= 1_024;

/** Capacity units of a strongly consistent read. */
const unitsOf = (read: unknown): number => Math.max(1, Math.ceil(sizeOf(read ?? '') / 4_096));

/** Processes a list with several workers in parallel. */
export async function inParallel<T>(workers: number, all: Iterator<T>, work: (one: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = all.next(); next.done !== true; next = all.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
