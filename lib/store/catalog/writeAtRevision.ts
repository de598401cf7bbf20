import type { Modification } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Account } from '../../item/account.ts';
import { alreadyExists } from '../../item/errors.ts';
import type { Item } from '../../item/item.ts';
import { applyChange } from '../../item/item.ts';
import type { Database, TransactionParts } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import type { Identifier } from '../records/guardRecord.ts';
import { guardPart, guardParts, identifiersNotIn, takenIdentifiers } from '../records/guardRecord.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { fenceItem } from './fenceItem.ts';
import { itemUpdateInput } from './updateExpression.ts';
import type { Outcome } from './writeOutcome.ts';
import { itemPart, readFailedCondition } from './writeOutcome.ts';

/**
 * No item is ever at this revision, so a write conditional on it always fails and reports which other conditions fail
 * too.
 */
const noRevision = 0;

/** A write that is built from the stored item, and is conditional on its revision. */
export interface Plan {
  readonly base: number;
  readonly next: Item;
  /** The stored item's fence, in milliseconds since 1970. The write must be later. */
  readonly closedUntil: number;
  /** The identifiers that the item gains and loses, whose guards are written in the same transaction. */
  readonly taken: readonly Identifier[];
  readonly freed: readonly Identifier[];
}

/**
 * Plans the write that applies a change to the stored item.
 * @throws CatalogError the errors of `applyChange`
 */
export function planFrom({ item, closedUntil }: ItemRecord, { change }: Modification, account: Account): Plan {
  const next = applyChange(item, change, account);
  const [taken, freed] = [identifiersNotIn(next, item), identifiersNotIn(item, next)];
  return { base: item.revision, next, closedUntil, taken, freed };
}

/** @throws CatalogError `ITEM_NOT_FOUND`, `ITEM_ALREADY_EXISTS`, `SERVICE_UNAVAILABLE` */
export async function writeAtRevision(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
): Promise<Outcome> {
  const { taken, freed, base, closedUntil } = plan;
  // Another container's clock may be ahead of ours, but this write must be later than the fence.
  const sentAt = Math.max(database.clock.now(), closedUntil + 1);
  try {
    return { done: true, stored: await write(database, context, modification, plan, sentAt) };
  } catch (error) {
    if (error instanceof UnknownOutcome)
      return fenceItem(database, context, { id: modification.id, sentAt, revisions: [base], cause: error });
    if (!(error instanceof ConditionFailed) || error.failed(itemPart)) return readFailedCondition(error, modification);
    refuseIfTaken(error, taken);
    // A partial restore can leave an item whose identifier is guarded by another item. Keep that guard.
    const own = freed.filter((identifier) => !error.failed(guardPart.delete(identifier)));
    return writeAtRevision(database, context, modification, { ...plan, freed: own });
  }
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
  if (plan.taken.length === 0) return;
  const parts = partsOf(database, context, modification, { ...plan, base: noRevision }, database.clock.now());
  try {
    await database.transact(context, parts);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    refuseIfTaken(error, plan.taken);
  }
}

function refuseIfTaken(refusal: ConditionFailed, identifiers: readonly Identifier[]): void {
  const taken = takenIdentifiers(refusal, identifiers);
  if (taken.length > 0) throw alreadyExists(taken);
}

async function write(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  sentAt: number,
): Promise<ItemRecord> {
  if (plan.taken.length + plan.freed.length === 0) {
    const input = inputOf(context, modification, plan, sentAt);
    return readItem(await database.update(context, input, { idempotent: false }));
  }
  const parts = partsOf(database, context, modification, plan, sentAt);
  await database.transact(context, parts, { idempotent: false });
  return { item: plan.next, writeId: context.writeId, writtenAt: sentAt, closedUntil: 0 };
}

const inputOf = (context: RequestContext, { id, change }: Modification, { base, next }: Plan, sentAt: number) =>
  itemUpdateInput(context, sentAt, id, {
    fields: { ...change.fields, ...(change.unroundedQty !== undefined && { qty: next.qty }) },
    metadata: change.metadata,
    expected: { revisions: [base] },
  });

/** The parts of the transaction that writes the item with its guards. */
const partsOf = (
  { table }: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
  sentAt: number,
): TransactionParts => ({
  [itemPart]: { Update: { ...inputOf(context, modification, plan, sentAt), TableName: table } },
  ...guardParts(table, context, modification.id, plan),
});
