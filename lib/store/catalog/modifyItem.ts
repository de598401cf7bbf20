import type { Modification } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Account } from '../../item/account.ts';
import { alreadyExists, CatalogError } from '../../item/errors.ts';
import type { Item, ItemChange } from '../../item/item.ts';
import { applyChange } from '../../item/item.ts';
import { limits } from '../../item/limits.ts';
import type { Database } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import type { Identifier, Identifiers } from '../records/guardRecord.ts';
import { guardPart, guardParts, identifiersBeyond, takenIdentifiers } from '../records/guardRecord.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { identifierNames } from '../records/keys.ts';
import type { AccountCache } from './accountCache.ts';
import { expectedQty } from './expectedQty.ts';
import { fenceItem } from './fenceItem.ts';
import type { ItemWrite } from './updateExpression.ts';
import { itemUpdateInput } from './updateExpression.ts';

/** Either the write is done and `stored` is what it left, or nothing was written and the next must be based on `stored`. */
interface Outcome {
  readonly done: boolean;
  readonly stored: ItemRecord;
}

/** The name of the item's part, in a transaction and alone. */
const itemPart = 'item';

/** No item is ever at this revision: a write under it is refused, and tells what else stands against it. */
const noRevision = 0;

/**
 * Changes an item. The first write expects what is likely of the stored item, and is mostly the only one. When that does
 * not hold, the refusal carries the stored item, and the next write is built from that, under its revision. So nothing is
 * read before it is needed, and no write rests on an outdated state. A write whose answer is lost is never sent again:
 * the item is fenced against it, and tells whether it had landed.
 * @throws CatalogError as `CatalogStore.modifyItem` says
 */
export async function modifyItem(
  database: Database,
  accounts: AccountCache,
  context: RequestContext,
  modification: Modification,
): Promise<Item> {
  const attempts = database.attempts(context);
  let { done, stored } = await writeOptimistically(database, context, modification);
  for (let round = 0; !done; round += 1) {
    if (round > 0) await attempts.backOff('moved', new Error('Other writers of the item were faster'));
    const account = await accountWithUnit(accounts, context, modification.account, stored.item.unit);
    ({ done, stored } = await writeAtRevision(
      database,
      context,
      modification,
      planFrom(stored, modification, account),
    ));
  }
  return stored.item;
}

/** An account that knows the unit: one that was registered less than a minute ago may not be in the container yet. */
const accountWithUnit = async (
  accounts: AccountCache,
  context: RequestContext,
  account: Account,
  unit: string,
): Promise<Account> => (account.units.has(unit) ? account : accounts.current(context));

/** The write that expects a state of the item without having read it. */
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
  const write: ItemWrite = {
    fields: { ...fields, ...(likely && { qty: likely.qty }) },
    metadata: change.metadata,
    expected: {
      identifiers: sentIdentifiers(change),
      units: likely?.units,
      revisions,
      metadataKeys: added > 0 ? limits.metadata.keysStored - added : undefined,
    },
  };
  try {
    const record = await database.update(context, itemUpdateInput(context, sentAt, id, write), { idempotent: false });
    return { done: true, stored: readItem(record) };
  } catch (error) {
    if (error instanceof UnknownOutcome) return fenceItem(database, context, { id, sentAt, revisions, cause: error });
    return readRefusal(error);
  }
}

const sentIdentifiers = ({ fields }: ItemChange): Partial<Identifiers> =>
  Object.fromEntries(identifierNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));

/** The stored item that a refusal of its part carries. */
function readRefusal(error: unknown): Outcome {
  if (!(error instanceof ConditionFailed)) throw error;
  const record = error.stored(itemPart);
  if (record === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  return { done: false, stored: readItem(record) };
}

/** A write that is built from the stored item, and holds only at its revision. */
interface Plan {
  readonly base: number;
  readonly next: Item;
  /** The fence of the stored item, in milliseconds since 1970; the write must be later. */
  readonly closedUntil: number;
  /** The identifiers that the item gets and loses, whose guards go along. */
  readonly taken: readonly Identifier[];
  readonly freed: readonly Identifier[];
  /** `If-Match` names another revision: the write is only tried to learn whether an identifier is taken. */
  readonly isOutdated: boolean;
}

function planFrom({ item, closedUntil }: ItemRecord, { change, revisions }: Modification, account: Account): Plan {
  const next = applyChange(item, change, account);
  const taken = identifiersBeyond(next, item);
  const isOutdated = revisions !== undefined && !revisions.includes(item.revision);
  // A taken identifier is told before an outdated revision, so with one to take the write is tried all the same.
  if (isOutdated && taken.length === 0) throw new CatalogError('PRECONDITION_FAILED');
  const base = isOutdated ? noRevision : item.revision;
  return { base, next, closedUntil, taken, freed: identifiersBeyond(item, next), isOutdated };
}

async function writeAtRevision(
  database: Database,
  context: RequestContext,
  modification: Modification,
  plan: Plan,
): Promise<Outcome> {
  const { taken, freed, isOutdated, base, closedUntil } = plan;
  // Another container's clock may be ahead of ours: a write must be later than the fence that it has seen.
  const sentAt = Math.max(database.clock.now(), closedUntil + 1);
  try {
    return { done: true, stored: await write(database, context, modification, plan, sentAt) };
  } catch (error) {
    if (error instanceof UnknownOutcome)
      return fenceItem(database, context, { id: modification.id, sentAt, revisions: [base], cause: error });
    if (!(error instanceof ConditionFailed)) throw error;
    const owned = takenIdentifiers(error, taken);
    if (owned.length > 0 && (isOutdated || !error.failed(itemPart))) throw alreadyExists(owned);
    if (isOutdated) throw new CatalogError('PRECONDITION_FAILED');
    if (error.failed(itemPart)) return readRefusal(error);
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
  sentAt: number,
): Promise<ItemRecord> {
  const { table } = database;
  const input = itemUpdateInput(context, sentAt, id, {
    fields: { ...change.fields, ...(change.unroundedQty !== undefined && { qty: next.qty }) },
    metadata: change.metadata,
    expected: { revisions: [base] },
  });
  if (taken.length + freed.length === 0) return readItem(await database.update(context, input, { idempotent: false }));
  const parts = {
    [itemPart]: { Update: { ...input, TableName: table } },
    ...guardParts(table, context, id, { taken, freed }),
  };
  await database.transact(context, parts, { idempotent: false });
  return { item: next, writeId: context.writeId, writtenAt: sentAt, closedUntil: 0 };
}
