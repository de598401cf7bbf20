import { randomUUID } from 'node:crypto';
import { timedContext } from '../../catalog/requestContext.ts';
import type { Database } from '../../store/database/database.ts';
import { ConditionFailed } from '../../store/database/failures.ts';
import { raiseLastCategory } from '../../store/records/accountRecord.ts';
import { raiseCounter } from '../../store/records/counterRecord.ts';
import { endIdempotencyRecord } from '../../store/records/idempotencyRecord.ts';
import { listItem } from '../../store/records/listEntry.ts';
import { removeExpiry } from '../../store/records/removeExpiry.ts';
import { latestExpiry } from './checks/expiry.ts';
import type { Finding, IdentifierFinding, Records } from './finding.ts';
import { guardWrites } from './guardWrites.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { recheck } from './recheck.ts';
import type { RepairableFinding } from './repairable.ts';
import { isRepairable, suspectOf } from './repairable.ts';

/** The result of repairing a finding. */
export interface Repair {
  /** What was repaired: usually the finding itself, but it may have changed into another one in the meantime. */
  readonly repaired: readonly Finding[];
  /** What is still wrong, and needs a person to decide. */
  readonly remaining: Finding | undefined;
}

/** Timeout for one write including all retries, in milliseconds. */
export const writeTimeout = 30_000;
/** Maximum number of attempts if something else is wrong each time. */
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
  const repaired: Finding[] = [];
  let remaining: Finding | undefined = finding;
  for (let round = 0; round < maxRounds; round += 1) {
    if (remaining === undefined || !isRepairable(remaining)) break;
    const current: RepairableFinding = remaining;
    const isDone = await limiter.run(
      repairUnits,
      () => write(database, current),
      () => repairUnits,
    );
    if (isDone) repaired.push(current);
    remaining = await recheck(records, suspectOf(current), database.clock.now());
  }
  return { repaired, remaining };
}

/** @returns false if its condition failed, because something has changed since */
async function write(database: Database, finding: RepairableFinding): Promise<boolean> {
  const context = timedContext(database.clock.now() + writeTimeout);
  try {
    if ('items' in finding) {
      const request = { ...context, account: finding.account, user: 'operator', writeId: randomUUID() };
      await database.transact(context, guardWrites(database.table, request, finding));
    } else await database.update(context, updateOf(finding, database.clock.now()), { idempotent: true });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** The idempotent update that repairs one record. */
function updateOf(finding: Exclude<RepairableFinding, IdentifierFinding>, now: number) {
  switch (finding.kind) {
    case 'expiring record':
      return removeExpiry(finding.key);
    case 'idempotency record expiry':
      return endIdempotencyRecord(finding.key, now, latestExpiry(now));
    case 'category above last':
      return raiseLastCategory(finding.account, finding.highest);
    case 'item not listed':
      return listItem(finding.account, finding);
    default:
      return raiseCounter(finding.account, finding.highest);
  }
}
