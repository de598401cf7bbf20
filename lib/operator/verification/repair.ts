import { randomUUID } from 'node:crypto';
import { timedContext } from '../../catalog/requestContext.ts';
import type { Database } from '../../store/database/database.ts';
import { ConditionFailed } from '../../store/database/failures.ts';
import { raiseLastCategory } from '../../store/records/accountRecord.ts';
import { raiseCounter } from '../../store/records/counterRecord.ts';
import { endIdempotencyRecord } from '../../store/records/idempotencyRecord.ts';
import { listItem } from '../../store/records/listEntry.ts';
import { removeExpiry } from '../../store/records/removeExpiry.ts';
import { latestEnd } from './checks/expiry.ts';
import type { Finding, IdentifierFinding, Records } from './finding.ts';
import { guardWrites } from './guardWrites.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { recheck } from './recheck.ts';
import type { RepairableFinding } from './repairable.ts';
import { isRepairable, suspectOf } from './repairable.ts';

/** What was done about a finding. */
export interface Repair {
  /** What was wrong and is repaired: mostly the finding, but it may have become another one meanwhile. */
  readonly repaired: readonly Finding[];
  /** What is wrong afterwards, and is left to a person. */
  readonly remaining: Finding | undefined;
}

/** Time for one write with all its retries, in milliseconds. */
const writeTimeout = 30_000;
/** How often a repair is tried when something else is wrong each time. */
const maxRounds = 5;
/** About what one repair costs: a transaction of two small records. */
const repairUnits = 4;

/**
 * Repairs a finding, as far as that takes no decision, and looks again. Every write holds only while what it
 * rests on is as it was seen, so requests that run beside it lose nothing.
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

/** @returns false when it was refused, as something has changed since */
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

/** The update that repairs one record, and can be sent twice. */
function updateOf(finding: Exclude<RepairableFinding, IdentifierFinding>, now: number) {
  switch (finding.kind) {
    case 'expiring record':
      return removeExpiry(finding.key);
    case 'endless idempotency record':
      return endIdempotencyRecord(finding.key, now, latestEnd(now));
    case 'category above last':
      return raiseLastCategory(finding.account, finding.highest);
    case 'item not listed':
      return listItem(finding.account, finding);
    default:
      return raiseCounter(finding.account, finding.highest);
  }
}
