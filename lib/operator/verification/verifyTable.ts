import { startWork } from '../../catalog/catalogStore.ts';
import type { Attributes } from '../../store/database/attributes.ts';
import type { Database } from '../../store/database/database.ts';
import type { Key } from '../../store/records/keys.ts';
import { keyIn } from '../../store/records/parseKey.ts';
import { Census } from './crossCheck.ts';
import type { Pace } from './rateLimiter.ts';
import type { Finding, Records } from './recheck.ts';
import { judge } from './recheck.ts';
import type { ScanSource } from './scanTable.ts';
import { scanTable, sizeOf } from './scanTable.ts';

/** How far a verification is; it counts up while the work goes on. */
export interface Progress {
  /** Records that were scanned. */
  records: number;
  /** What may be wrong after the scan, and how much of it has been looked at again. */
  doubts: number;
  judged: number;
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
  { segments, pace, now, progress }: { segments: number; pace: Pace; now: () => number; progress: Progress },
): Promise<Finding[]> {
  const census = new Census();
  await scanTable(source, { segments, pace }, (page) => {
    for (const record of page) census.add(record);
    progress.records += page.length;
  });
  const suspects = [...census.suspects()];
  progress.doubts = suspects.length;
  const findings: (Finding | undefined)[] = [];
  await inParallel(segments, suspects.entries(), async ([index, suspect]) => {
    findings[index] = await judge(records, suspect, now());
    progress.judged += 1;
  });
  return findings.filter((finding) => finding !== undefined);
}

/**
 * Finds every broken invariant in a list of all records of a table, as they were at one moment.
 * @param now milliseconds since 1970
 */
export async function verifyRecords(all: readonly Attributes[], now: number): Promise<Finding[]> {
  const census = new Census();
  for (const record of all) census.add(record);
  const nameOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
  const named = new Map(all.map((record) => [nameOf(keyIn(record)), record]));
  const records: Records = {
    get: async (key) => named.get(nameOf(key)),
    query: async (partition) => all.filter((record) => keyIn(record).pk === partition),
  };
  const findings = await Promise.all([...census.suspects()].map((suspect) => judge(records, suspect, now)));
  return findings.filter((finding) => finding !== undefined);
}

/** Time for one read with all its repeats, in milliseconds. */
const patience = 30_000;

/** The records of a table, read at a pace. */
export function pacedRecords(database: Database, pace: Pace): Records {
  const work = () => startWork(database.world.now() + patience);
  return {
    get: (key) => pace.keep(1, () => database.get(work(), key), unitsOf),
    query: (partition) => pace.keep(1, () => database.query(work(), partition), unitsOf),
  };
}

/** What a strongly consistent read has cost. */
const unitsOf = (read: unknown): number => Math.max(1, Math.ceil(sizeOf(read ?? '') / 4_096));

/** Works through a list with so many workers at once. */
export async function inParallel<T>(workers: number, all: Iterator<T>, work: (one: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = all.next(); next.done !== true; next = all.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
