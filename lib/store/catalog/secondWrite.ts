import type { Modification } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { alreadyExists, CatalogError } from '../../item/errors.ts';
import type { Item } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import { getRecord } from '../database/reads.ts';
import type { TransactionParts } from '../database/writes.ts';
import { transact, updateRecord } from '../database/writes.ts';
import type { Identifier } from '../records/guardRecord.ts';
import { guardPart, guardParts, identifiersNotIn, takenIdentifiers } from '../records/guardRecord.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';
import { writeFrom } from './itemWrite.ts';
import type { ItemWrite } from './updateExpression.ts';
import { itemUpdateInput } from './updateExpression.ts';
import type { Outcome } from './writeOutcome.ts';
import { fenceItem, itemPart, readFailedCondition } from './writeOutcome.ts';

/** A write that is built from the stored item. */
export interface Plan {
  readonly stored: ItemRecord;
  /** The item after the write, if nobody else writes before it. */
  readonly next: Item;
  readonly keyed: ItemWrite['keyed'];
  /** Whether the write requires that the item has not changed at all, so that the result is known in advance. */
  readonly isExact: boolean;
}

/** The guards that a write puts and deletes, in the same transaction. */
interface Guards {
  readonly taken: readonly Identifier[];
  readonly freed: readonly Identifier[];
}

const guardsOf = ({ stored: { item }, next }: Plan): Guards => ({
  taken: identifiersNotIn(next, item),
  freed: identifiersNotIn(item, next),
});

/** @throws CatalogError `ITEM_NOT_FOUND`, `ITEM_ALREADY_EXISTS`, `SERVICE_UNAVAILABLE` */
export async function secondWrite(
  session: Session,
  modification: Modification,
  plan: Plan,
  guards = guardsOf(plan),
): Promise<Outcome> {
  const { closedUntil, writtenAt, item } = plan.stored;
  // Another container's clock may be ahead of ours, but this write must be later than the fence and the last write.
  const sentAt = Math.max(session.clock.now(), closedUntil + 1, writtenAt);
  try {
    const write = guards.taken.length + guards.freed.length === 0 ? writeAlone : writeWithGuards;
    return { done: true, stored: await write(session, modification, plan, sentAt, guards) };
  } catch (error) {
    if (error instanceof UnknownOutcome) {
      const lost = { id: item.id, sentAt, lowest: item.revision, keyed: plan.keyed?.update, cause: error };
      return fenceItem(session, lost);
    }
    if (!(error instanceof ConditionFailed) || error.failed(itemPart)) return readFailedCondition(error, modification);
    throwIfTaken(error, guards.taken);
    // A partial restore can leave an item whose identifier is guarded by another item. Keep that guard.
    const freed = guards.freed.filter((identifier) => !error.failed(guardPart.delete(identifier)));
    return secondWrite(session, modification, plan, { ...guards, freed });
  }
}

/** DynamoDB returns the updated item, so the write need not require that the rest of it is unchanged. */
async function writeAlone(
  session: Session,
  modification: Modification,
  plan: Plan,
  sentAt: EpochMs,
): Promise<ItemRecord> {
  const isExact = plan.keyed?.isNew === false;
  const input = inputOf(session.context, modification, { ...plan, isExact }, sentAt);
  return readItem(await updateRecord(session, input, { idempotent: false }));
}

/** A transaction does not return the item. If it was not known in advance, it is read, possibly with later changes. */
async function writeWithGuards(
  session: Session,
  modification: Modification,
  plan: Plan,
  sentAt: EpochMs,
  guards: Guards,
): Promise<ItemRecord> {
  const { stored, next, isExact } = plan;
  await transact(session, partsOf(session.context, modification, plan, sentAt, guards), { idempotent: false });
  if (isExact) return { ...stored, item: { ...next, updatedAt: sentAt, updatedBy: session.context.user } };
  const record = await getRecord(session, keys.item(session.context.account, next.id));
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE');
  return readItem(record);
}

/**
 * Checks that the identifiers of a write are free, without doing the write. It sends the write for a revision that no
 * item has: the transaction always fails, and its cancellation reasons show which identifiers are taken.
 * @throws CatalogError `ITEM_ALREADY_EXISTS` if one is taken
 */
export async function checkIdentifiers(session: Session, modification: Modification, plan: Plan): Promise<void> {
  const guards = guardsOf(plan);
  if (guards.taken.length === 0) return;
  const stored = { ...plan.stored, item: { ...plan.stored.item, revision: noRevision } };
  const never = { ...plan, stored, isExact: true };
  try {
    await transact(session, partsOf(session.context, modification, never, session.clock.now(), guards));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throwIfTaken(error, guards.taken);
  }
}

const noRevision = 0;

function throwIfTaken(failed: ConditionFailed, identifiers: readonly Identifier[]): void {
  const taken = takenIdentifiers(failed, identifiers);
  if (taken.length > 0) throw alreadyExists(taken);
}

function inputOf(context: RequestContext, modification: Modification, plan: Plan, sentAt: EpochMs) {
  const { stored, next, keyed, isExact } = plan;
  const { expected, ...write } = writeFrom(stored.item, next, modification);
  const revisions = isExact ? [stored.item.revision] : expected.revisions;
  return itemUpdateInput(context, sentAt, modification.id, { ...write, keyed, expected: { ...expected, revisions } });
}

/** The parts of the transaction that writes the item with its guards. */
const partsOf = (
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  sentAt: EpochMs,
  guards: Guards,
): TransactionParts => ({
  [itemPart]: { Update: inputOf(context, modification, plan, sentAt) },
  ...guardParts(context, modification.id, guards),
});
