import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiter } from '../../../admin/table/rateLimiter.ts';
import type { ScanSource } from '../../../admin/table/scanTable.ts';
import type { Records } from '../../../admin/verification/check.ts';
import {
  type Finding,
  type Progress,
  rateLimitedRecords,
  repair,
  verifyTable,
} from '../../../admin/verification/verifyTable.ts';
import { Database } from '../../../lib/store/database/database.ts';
import type { Key, StoredRecord } from '../../../lib/store/database/record.ts';
import type { Clock } from '../../../lib/store/database/retryPolicy.ts';
import { keyIn } from '../../../lib/store/records/keys.ts';
import type { TestTable } from '../table/testTable.ts';
import { unsoundRecords } from './unsoundRecords.ts';

export const unlimited = (clock: Pick<Clock, 'now' | 'sleep'> = { now: Date.now, sleep }) =>
  new RateLimiter(1_000_000, clock);

/**
 * Finds every violated invariant in a snapshot of all records of a table.
 * @param now milliseconds since 1970
 */
export async function verifyRecords(
  all: readonly StoredRecord[],
  now: number,
  progress: Progress = { records: 0, suspects: 0, rechecked: 0 },
): Promise<Finding[]> {
  const nameOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
  const named = new Map(all.map((record) => [nameOf(keyIn(record)), record]));
  const records: Records = {
    get: async (key) => named.get(nameOf(key)),
    query: async (partition) => all.filter((record) => keyIn(record).pk === partition),
  };
  const send = async ({ input: { Segment } }: { input: { Segment: number } }) => ({
    Items: Segment === 0 ? all : [],
    ConsumedCapacity: { CapacityUnits: 1 },
  });
  const source = { client: { send } as unknown as ScanSource['client'], table: 'table-1' };
  const clock = { now: () => now, random: Math.random, sleep: async () => undefined };
  const database = new Database(source.client, source.table, clock);
  return verifyTable({ database, source, limiter: unlimited(clock) }, records, progress);
}

/**
 * Finds all that is wrong in a snapshot of a table to which nobody writes: what `verify` finds, and what only a defect
 * of the service could have left.
 */
export const allFindings = async (all: readonly StoredRecord[], now: number): Promise<(Finding | string)[]> => [
  ...(await verifyRecords(all, now)),
  ...unsoundRecords(all, now),
];

/** What a verification needs of a table. Its state is in `progress`. */
export function verifier(table: TestTable, source: ScanSource = table) {
  const paced = { database: table.database, source, limiter: unlimited() };
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const records = rateLimitedRecords(paced);
  return {
    progress,
    verify: () => verifyTable(paced, records, progress),
    repair: (finding: Finding) => repair(paced, records, finding),
  };
}
