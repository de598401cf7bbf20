import type { Modification } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { alreadyExists, CatalogError } from '../../item/errors.ts';
import type { Item } from '../../item/item.ts';
import type { Database, TransactionParts } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import type { Identifier } from '../records/guardRecord.ts';
import { guardPart, guardParts, identifiersNotIn, takenIdentifiers } from '../records/guardRecord.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';
import { fenceItem } from './fenceItem.ts';
import { writeFrom } from './itemWrite.ts';
import type { ItemWrite } from './updateExpression.ts';
import { itemUpdateInput } from './updateExpression.ts';
import type { Outcome } from './writeOutcome.ts';
import { itemPart, readFailedCondition } from './writeOutcome.ts';

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
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  guards = guardsOf(plan),
): Promise<Outcome> {
  const { closedUntil, writtenAt, item } = plan.stored;
  // Another container's clock may be ahead of ours, but this write must be later than the fence and the last write.
  const sentAt = Math.max(database.clock.now(), closedUntil + 1, writtenAt);
  try {
    const write = guards.taken.length + guards.freed.length === 0 ? writeAlone : writeWithGuards;
    return { done: true, stored: await write(database, context, modification, plan, sentAt, guards) };
  } catch (error) {
    if (error instanceof UnknownOutcome) {
      const lost = { id: item.id, sentAt, lowest: item.revision, keyed: plan.keyed?.update, cause: error };
      return fenceItem(database, context, lost);
    }
    if (!(error instanceof ConditionFailed) || error.failed(itemPart)) return readFailedCondition(error, modification);
    refuseIfTaken(error, guards.taken);
    // A partial restore can leave an item whose identifier is guarded by another item. Keep that guard.
    const freed = guards.freed.filter((identifier) => !error.failed(guardPart.delete(identifier)));
    return secondWrite(database, context, modification, plan, { ...guards, freed });
  }
}

/** DynamoDB returns the updated item, so the write need not require that the rest of it is unchanged. */
async function writeAlone(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  sentAt: number,
): Promise<ItemRecord> {
  const isExact = plan.keyed?.isNew === false;
  const input = inputOf(context, modification, { ...plan, isExact }, sentAt);
  return readItem(await database.update(context, input, { idempotent: false }));
}

/** A transaction does not return the item. If it was not known in advance, it is read, possibly with later changes. */
async function writeWithGuards(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  sentAt: number,
  guards: Guards,
): Promise<ItemRecord> {
  const { stored, next, isExact } = plan;
  await database.transact(context, partsOf(database, context, modification, plan, sentAt, guards), {
    idempotent: false,
  });
  if (isExact) return { ...stored, item: next };
  const record = await database.get(context, keys.item(context.account, next.id));
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE');
  return readItem(record);
}

/**
 * Checks that the identifiers of a write are free, without doing the write. It sends the write for a revision that no
 * item has: the transaction always fails, and its cancellation reasons show which identifiers are taken.
 * @throws CatalogError `ITEM_ALREADY_EXISTS` if one is taken
 */
export async function checkIdentifiers(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
): Promise<void> {
  const guards = guardsOf(plan);
  if (guards.taken.length === 0) return;
  const stored = { ...plan.stored, item: { ...plan.stored.item, revision: noRevision } };
  const never = { ...plan, stored, isExact: true };
  try {
    await database.transact(context, partsOf(database, context, modification, never, database.clock.now(), guards));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    refuseIfTaken(error, guards.taken);
  }
}

const noRevision = 0;

function refuseIfTaken(refusal: ConditionFailed, identifiers: readonly Identifier[]): void {
  const taken = takenIdentifiers(refusal, identifiers);
  if (taken.length > 0) throw alreadyExists(taken);
}

function inputOf(context: RequestContext, modification: Modification, plan: Plan, sentAt: number) {
  const { stored, next, keyed, isExact } = plan;
  const { expected, ...write } = writeFrom(stored.item, next, modification);
  const revisions = isExact ? [stored.item.revision] : expected.revisions;
  return itemUpdateInput(context, sentAt, modification.id, { ...write, keyed, expected: { ...expected, revisions } });
}

/** The parts of the transaction that writes the item with its guards. */
const partsOf = (
  { table }: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  sentAt: number,
  guards: Guards,
): TransactionParts => ({
  [itemPart]: { Update: { ...inputOf(context, modification, plan, sentAt), TableName: table } },
  ...guardParts(table, context, modification.id, guards),
});
