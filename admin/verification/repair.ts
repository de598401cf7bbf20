import type { Database } from '../../lib/store/database/database.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import { timedSession } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import type { FindingRepair, Records } from './check.ts';
import { type Finding, kinds } from './checks.ts';

export interface Repair {
  /** Usually the finding itself, but it may have changed into another one in the meantime. */
  readonly repaired: readonly Finding[];
  readonly remaining: Finding | undefined;
}

const maxRounds = 5;
/** Approximate cost of one repair in capacity units: a transaction of two small records. */
const repairUnits = 4;

/**
 * Repairs a finding, if that needs no decision by a person, and rechecks it. Every write is conditional on the data it
 * was based on, so concurrent requests lose nothing.
 */
export async function repair(
  database: Database,
  records: Records,
  limiter: RateLimiter,
  finding: Finding,
): Promise<Repair> {
  const { check } = kinds[finding.kind];
  const repaired: Finding[] = [];
  let remaining: Finding | undefined = finding;
  for (let round = 0; remaining !== undefined && round < maxRounds; round += 1) {
    const current: Finding = remaining;
    const method: FindingRepair<Finding> | undefined = kinds[current.kind].repair;
    if (method?.isPossible(current) !== true) break;
    const write = () => isDone(method.write(timedSession(database), current));
    if (await limiter.run(repairUnits, write)) repaired.push(current);
    remaining = await check.recheck(records, current, database.clock.now());
  }
  return { repaired, remaining };
}
