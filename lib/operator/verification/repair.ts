import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { timedContext } from '../../catalog/requestContext.ts';
import type { Database, TransactItem, TransactionParts } from '../../store/database/database.ts';
import { ConditionFailed } from '../../store/database/failures.ts';
import { raiseCounter } from '../../store/records/counterRecord.ts';
import type { Identifier } from '../../store/records/guardRecord.ts';
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
  const { name, text, items } = finding;
  return { of: 'identifier', account, name, text: text, items: items.map(({ id }) => id) };
}

/** @returns false when it was refused, as something has changed since */
async function write(database: Database, finding: RepairableFinding): Promise<boolean> {
  const context = {
    ...timedContext(database.clock.now() + writeTimeout),
    account: finding.account,
    user: 'operator',
    writeId: randomUUID(),
  };
  try {
    if (finding.kind === 'id above counter')
      await database.update(context, raiseCounter(finding.account, finding.highest), { idempotent: true });
    else await database.transact(context, guardWrites(database.table, context, finding));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

function guardWrites(
  table: string,
  context: RequestContext,
  { name, text, owner, items }: IdentifierFinding,
): TransactionParts {
  const identifier = { name, text: text };
  const concerned = items.filter(({ id, hasIdentifier }) => hasIdentifier || id === owner);
  const unchanged = concerned.map((item) => [`item ${item.id}`, requireUnchanged(table, context, item)]);
  const [holder] = items.filter(({ hasIdentifier }) => hasIdentifier);
  return {
    ...Object.fromEntries(unchanged),
    guard: guardWrite(table, context, identifier, { owner, holder: holder?.id }),
  };
}

/** Puts the guard for the item that holds the identifier, or deletes it when none does. */
function guardWrite(
  table: string,
  context: RequestContext,
  identifier: Identifier,
  { owner, holder }: { readonly owner: number | null; readonly holder: number | undefined },
): TransactItem {
  if (holder === undefined) return deleteGuard(table, context, owner ?? 0, identifier);
  const { Put } = putGuard(table, context, holder, identifier);
  // A guard is taken over only from the owner that was seen.
  return { Put: { ...Put, ...(owner !== null && { ExpressionAttributeValues: { ':item': owner } }) } };
}

const requireUnchanged = (
  table: string,
  { account }: RequestContext,
  { id, state, revision }: SeenItem,
): TransactItem => ({
  ConditionCheck: {
    TableName: table,
    Key: keys.item(account, id),
    ...(state === 'absent'
      ? {
          ConditionExpression: 'attribute_not_exists(#pk)',
          ExpressionAttributeNames: { '#pk': keyAttributes.partition },
        }
      : {
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        }),
  },
});
