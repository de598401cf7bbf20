import { randomUUID } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { RequestContext } from '../../catalog/catalogStore.ts';
import { timedContext } from '../../catalog/catalogStore.ts';
import { lastAttribute } from '../../store/catalog/idLease.ts';
import { toAttribute } from '../../store/database/attributes.ts';
import type { Database } from '../../store/database/database.ts';
import { keyOf } from '../../store/database/database.ts';
import { ConditionFailed } from '../../store/database/failures.ts';
import { deleteGuard, putGuard } from '../../store/records/guardRecord.ts';
import { keyAttributes, keys } from '../../store/records/keys.ts';
import type { Suspect } from './crossCheck.ts';
import type { RateLimiter } from './rateLimiter.ts';
import type { Finding, IdentifierFinding, Records, SeenItem } from './recheck.ts';
import { recheck } from './recheck.ts';

/** What was done about a finding. */
export interface Repair {
  /** What was wrong and is repaired: mostly the finding, but it may have become another one meanwhile. */
  readonly repaired: readonly Finding[];
  /** What is wrong afterwards, and remaining to a person. */
  readonly remaining: Finding | undefined;
}

/** Time for one write with all its repeats, in milliseconds. */
const patience = 30_000;
/** How often repair is tried where something else is wrong each time. */
const tries = 5;
/** About what one repair costs: a transaction of two small records. */
const repairUnits = 4;

/**
 * Repairs a finding, as far as that takes no decision, and looks again. Every write holds only while the items and the
 * guard are as they were seen, so requests that run beside it lose nothing.
 */
export async function repair(
  database: Database,
  records: Records,
  limiter: RateLimiter,
  finding: Finding,
): Promise<Repair> {
  const repaired: Finding[] = [];
  let remaining: Finding | undefined = finding;
  for (let round = 0; round < tries; round += 1) {
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

/**
 * Whether a finding can be repaired without a decision: who keeps a code that two items have, and what an unreadable
 * record was meant to say, a person must know.
 */
function isRepairable(finding: Finding): finding is RepairableFinding {
  switch (finding.kind) {
    case 'guard missing':
    case 'guard orphaned':
    case 'guard mismatched':
      return finding.items.every(({ state }) => state !== 'unreadable');
    case 'id above counter':
      return finding.highest <= highestRaised;
    default:
      return false;
  }
}

type RepairableFinding = IdentifierFinding | Extract<Finding, { kind: 'id above counter' }>;

/** An id above half of all is not a counter's, and the account could create nothing more if its counter were raised to it. */
const highestRaised = Number.MAX_SAFE_INTEGER / 2;

function suspectOf(finding: RepairableFinding): Suspect {
  const { account } = finding;
  if (finding.kind === 'id above counter') return { of: 'counter', account, highest: finding.highest };
  const { name, code, items } = finding;
  return { of: 'code', account, name, text: code, items: items.map(({ id }) => id) };
}

/** @returns false when it was refused, as something has changed since */
async function write(database: Database, finding: RepairableFinding): Promise<boolean> {
  const call = {
    ...timedContext(database.clock.now() + patience),
    account: finding.account,
    user: 'operator',
    writeId: randomUUID(),
  };
  try {
    if (finding.kind === 'id above counter') await raiseCounter(database, call, finding.highest);
    else await database.transact(call, guardWrites(database.table, call, finding));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Never lowers it: other containers lease ids meanwhile. */
async function raiseCounter(database: Database, call: RequestContext, highest: number): Promise<void> {
  const raise = {
    Key: keyOf(keys.counter(call.account)),
    UpdateExpression: 'SET #last = :highest',
    ConditionExpression: 'attribute_not_exists(#last) OR #last < :highest',
    ExpressionAttributeNames: { '#last': lastAttribute },
    ExpressionAttributeValues: { ':highest': toAttribute(highest) },
  };
  await database.update(call, raise, { idempotent: true });
}

function guardWrites(
  table: string,
  call: RequestContext,
  { name, code, owner, items }: IdentifierFinding,
): TransactWriteItem[] {
  const concerned = items.filter(({ id, hasCode }) => hasCode || id === owner);
  const unchanged = concerned.map((item) => isUnchanged(table, call, item));
  const taken = items.filter(({ hasCode }) => hasCode).map(({ id }) => putGuard(table, call, id, { name, text: code }));
  if (owner === null) return [...unchanged, ...taken];
  if (taken.length === 0) return [...unchanged, deleteGuard(table, call, owner, { name, text: code })];
  // A guard is taken over only from the owner that was seen, whose code it is not.
  const ExpressionAttributeValues = { ':item': toAttribute(owner) };
  return [...unchanged, ...taken.map(({ Put }) => ({ Put: Put && { ...Put, ExpressionAttributeValues } }))];
}

const isUnchanged = (table: string, call: RequestContext, { id, state, revision }: SeenItem): TransactWriteItem => ({
  ConditionCheck: {
    TableName: table,
    Key: keyOf(keys.item(call.account, id)),
    ...(state === 'absent'
      ? {
          ConditionExpression: 'attribute_not_exists(#pk)',
          ExpressionAttributeNames: { '#pk': keyAttributes.partition },
        }
      : {
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': toAttribute(revision) },
        }),
  },
});
