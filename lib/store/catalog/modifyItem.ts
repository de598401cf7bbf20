import type { Modification } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { Account } from '../../item/account.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Item, ItemChange } from '../../item/item.ts';
import { applyChange } from '../../item/item.ts';
import { limits } from '../../item/limits.ts';
import type { Database } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import type { Identifier, Identifiers } from '../records/guardRecord.ts';
import { guardPart, guardParts, identifiersBeyond } from '../records/guardRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { identifierNames, keys } from '../records/keys.ts';
import type { AccountCache } from './accountCache.ts';
import { expectedQty } from './expectedQty.ts';
import { itemUpdateInput } from './updateExpression.ts';

/** Either the write is done and `item` is what it left, or it was refused and `item` is what the next must be based on. */
interface Outcome {
  readonly done: boolean;
  readonly item: Item;
}

/** The name of the item's part, in a transaction and alone. */
const itemPart = 'item';

/** No item is ever at this revision: a write under it is refused, and tells what else stands against it. */
const noRevision = 0;

/**
 * Changes an item. The first write expects what is likely of the stored item, and is mostly the only one. When that does
 * not hold, the refusal carries the stored item, and the next write is built from that, under its revision. So nothing is
 * read before it is needed, and no write rests on an outdated state.
 * @throws CatalogError as `CatalogStore.modifyItem` says
 */
export async function modifyItem(
  database: Database,
  accounts: AccountCache,
  context: RequestContext,
  modification: Modification,
): Promise<Item> {
  const attempts = database.attempts(context);
  let { done, item } = await writeOptimistically(database, context, modification);
  for (let round = 0; !done; round += 1) {
    if (round > 0) await attempts.backOff('moved', new Error('Other writers of the item were faster'));
    const account = await accountWithUnit(accounts, context, modification.account, item.unit);
    ({ done, item } = await writeAtRevision(database, context, modification, planFrom(item, modification, account)));
  }
  return item;
}

/** An account that knows the unit: one that was registered less than a minute ago may not be in the container yet. */
const accountWithUnit = async (
  accounts: AccountCache,
  context: RequestContext,
  account: Account,
  unit: string,
): Promise<Account> => (account.units.has(unit) ? account : accounts.current(context));

/** The write that expects a state. It is sent again only under a revision: repeated blindly, it could undo a later writer's. */
async function writeOptimistically(
  database: Database,
  context: RequestContext,
  { id, change, revisions, account }: Modification,
): Promise<Outcome> {
  const { sku: _sku, pn: _pn, ...fields } = change.fields;
  const { unroundedQty } = change;
  const likely = unroundedQty === undefined ? undefined : expectedQty(unroundedQty, account);
  const added = Object.keys(change.metadata.set).length;
  const sentAt = database.clock.now();
  const input = itemUpdateInput(context, sentAt, id, {
    fields: { ...fields, ...(likely && { qty: likely.qty }) },
    metadata: change.metadata,
    expected: {
      identifiers: sentIdentifiers(change),
      units: likely?.units,
      revisions,
      metadataKeys: added > 0 ? limits.metadata.keysStored - added : undefined,
    },
  });
  try {
    const stored = await database.update(context, input, { idempotent: revisions?.length === 1 });
    return { done: true, item: readItem(stored).item };
  } catch (error) {
    if (error instanceof UnknownOutcome) return resolveUnknownOutcome(database, context, id, sentAt, error);
    return readRefusal(error, context, revisions?.[0]);
  }
}

const sentIdentifiers = ({ fields }: ItemChange): Partial<Identifiers> =>
  Object.fromEntries(identifierNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));

/**
 * What became of a write whose answer was lost and that must not be sent again: the item tells who wrote last.
 * @param sentAt when it was sent, in milliseconds since 1970
 */
async function resolveUnknownOutcome(
  database: Database,
  context: RequestContext,
  id: number,
  sentAt: number,
  cause: unknown,
): Promise<Outcome> {
  const record = await database.get(context, keys.item(context.account, id));
  if (record === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  const { item, writeId, writtenAt } = readItem(record);
  if (writeId === context.writeId) return { done: true, item };
  // Another may have written over ours, unless the last write had surely landed before it: a write is sent again for
  // as long as its request lasts, and keeps the time of its first sending.
  if (writtenAt + timeouts.request + timeouts.exchange + timeouts.clockSkew < sentAt) return { done: false, item };
  throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
}

/**
 * The stored item that a refusal carries, and whether this very request has written it.
 * @param base the revision that was written under; undefined: any
 */
function readRefusal(error: unknown, context: RequestContext, base: number | undefined): Outcome {
  if (!(error instanceof ConditionFailed)) throw error;
  const record = error.stored(itemPart);
  if (record === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  const { item, writeId } = readItem(record);
  if (writeId === context.writeId) return { done: true, item };
  // Sent twice, and written more than once since: one of those writes may have been ours.
  if (error.afterLostAnswer && base !== undefined && base !== noRevision && item.revision > base + 1)
    throw new CatalogError('SERVICE_UNAVAILABLE', { cause: error });
  return { done: false, item };
}

/** A write that is built from the stored item, and holds only at its revision. */
interface Plan {
  readonly base: number;
  readonly next: Item;
  /** The identifiers that the item gets and loses, whose guards go along. */
  readonly taken: readonly Identifier[];
  readonly freed: readonly Identifier[];
  /** `If-Match` names another revision: the write is only tried to learn whether an identifier is taken. */
  readonly isOutdated: boolean;
}

function planFrom(seen: Item, { change, revisions }: Modification, account: Account): Plan {
  const next = applyChange(seen, change, account);
  const taken = identifiersBeyond(next, seen);
  const isOutdated = revisions !== undefined && !revisions.includes(seen.revision);
  // A taken identifier is told before an outdated revision, so with one to take the write is tried all the same.
  if (isOutdated && taken.length === 0) throw new CatalogError('PRECONDITION_FAILED');
  return {
    base: isOutdated ? noRevision : seen.revision,
    next,
    taken,
    freed: identifiersBeyond(seen, next),
    isOutdated,
  };
}

async function writeAtRevision(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
): Promise<Outcome> {
  try {
    return { done: true, item: await write(database, context, modification, plan) };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const { taken, freed, isOutdated, base } = plan;
    const isTaken = taken.some((identifier) => error.failed(guardPart.put(identifier)));
    if (isOutdated) throw new CatalogError(isTaken ? 'ITEM_ALREADY_EXISTS' : 'PRECONDITION_FAILED');
    if (error.failed(itemPart)) return readRefusal(error, context, base);
    if (isTaken) throw new CatalogError('ITEM_ALREADY_EXISTS');
    // A partial restore may leave an item whose identifier is guarded for another item. That guard stays.
    const own = freed.filter((identifier) => !error.failed(guardPart.delete(identifier)));
    return writeAtRevision(database, context, modification, { ...plan, freed: own });
  }
}

async function write(
  database: Database,
  context: RequestContext,
  { id, change }: Modification,
  { base, next, taken, freed }: Plan,
): Promise<Item> {
  const { table } = database;
  const input = itemUpdateInput(context, database.clock.now(), id, {
    fields: { ...change.fields, ...(change.unroundedQty !== undefined && { qty: next.qty }) },
    metadata: change.metadata,
    expected: { revisions: [base] },
  });
  if (taken.length + freed.length === 0)
    return readItem(await database.update(context, input, { idempotent: true })).item;
  await database.transact(context, {
    [itemPart]: { Update: { ...input, TableName: table } },
    ...guardParts(table, context, id, { taken, freed }),
  });
  return next;
}
