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

/** How far a verification is; it counts up while the work goes on. */
export interface Progress {
  /** Records that were scanned. */
  records: number;
  /** What may be wrong after the scan, and how much of it has been looked at again. */
  suspects: number;
  rechecked: number;
}

/**
 * Finds every broken invariant of a table, and writes nothing. It may run beside live traffic: what the scan leaves in
 * doubt, as it reads items and guards at different times, is looked at again before it is a finding.
 * @param source the table, for the scan
 * @param records the same table, for the second look
 * @param segments how many parts of the table are scanned, and how many doubts are looked into, at once
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
 * Finds every broken invariant in a list of all records of a table, as they were at one moment.
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

/** Time for one read with all its retries, in milliseconds. */
const readTimeout = 30_000;

/** The records of a table, read at a limiter. */
export function rateLimitedRecords(database: Database, limiter: RateLimiter): Records {
  const context = () => timedContext(database.clock.now() + readTimeout);
  return {
    get: async (key) => (canExist(key) ? limiter.run(1, () => database.get(context(), key), unitsOf) : undefined),
    query: (partition) => limiter.run(1, () => database.query(context(), partition), unitsOf),
  };
}

/** Whether a key is within DynamoDB's bounds. What a damaged record names may be longer. */
const canExist = ({ pk, sk }: Key): boolean => Buffer.byteLength(pk) <= 2_048 && Buffer.byteLength(sk) <= 1_024;

/** What a strongly consistent read has cost. */
const unitsOf = (read: unknown): number => Math.max(1, Math.ceil(sizeOf(read ?? '') / 4_096));

/** Works through a list with so many workers at once. */
export async function inParallel<T>(workers: number, all: Iterator<T>, work: (one: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = all.next(); next.done !== true; next = all.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
