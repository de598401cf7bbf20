import type { RequestContext } from '../../catalog/catalogStore.ts';
import { longestCall } from '../../catalog/catalogStore.ts';
import type { Account } from '../../item/account.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Item, ItemChange } from '../../item/item.ts';
import { applyChange, expectedQty } from '../../item/item.ts';
import { limits } from '../../item/limits.ts';
import type { Database } from '../database/database.ts';
import { messageTimeout } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import type { Identifier, Identifiers } from '../records/guardRecord.ts';
import { deleteGuard, identifiersBeyond, putGuard } from '../records/guardRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { identifierNames, keys } from '../records/keys.ts';
import type { AccountCache } from './accountCache.ts';
import { itemUpdateInput } from './updateExpression.ts';

/** One update: what is asked, and by whom. */
export interface Modification {
  readonly call: RequestContext;
  readonly id: number;
  readonly change: ItemChange;
  /** `If-Match`; undefined: any revision. */
  readonly revisions: readonly number[] | undefined;
}

/** Either the write is done and `item` is what it left, or it was refused and `item` is what the next must be based on. */
interface Outcome {
  readonly done: boolean;
  readonly item: Item;
}

/** No item is ever at this revision: a write under it is refused, and tells what else stands against it. */
const noRevision = 0;

/** How far two containers' clocks may differ, in milliseconds. */
const clockSkew = 5_000;

/**
 * Changes an item. The first write assumes what is likely of the stored item, and is mostly the only one. When the
 * assumption does not hold, the refusal carries the stored item, and the next write is built from that, under its
 * revision. So nothing is read before it is needed, and no write rests on a state that has passed.
 * @throws CatalogError as `Catalog.update` says
 */
export async function modifyItem(database: Database, accounts: AccountCache, update: Modification): Promise<Item> {
  const retries = database.attempts(update.call);
  let { done, item } = await writeOptimistically(database, await accounts.get(update.call), update);
  for (let round = 0; !done; round += 1) {
    if (round > 0) await retries.backOff('moved', new Error('Other writers of the item were faster'));
    const account = await accountOf(accounts, update.call, item);
    ({ done, item } = await writeAtRevision(database, update, planFrom(item, update, account)));
  }
  return item;
}

/** An account that knows the item's unit: one registered less than a minute ago may not be in the container yet. */
async function accountOf(accounts: AccountCache, call: RequestContext, item: Item): Promise<Account> {
  const account = await accounts.get(call);
  return account.units.has(item.unit) ? account : accounts.current(call);
}

/** The write that rests on assumptions. It is sent again only under a revision: repeated blindly, it could undo a later writer's. */
async function writeOptimistically(database: Database, account: Account, update: Modification): Promise<Outcome> {
  const { call, id, change, revisions } = update;
  const { sku: _sku, pn: _pn, ...fields } = change.fields;
  const { unroundedQty } = change;
  const likely = unroundedQty === undefined ? undefined : expectedQty(unroundedQty, account);
  const added = Object.keys(change.metadata.set).length;
  const sent = database.clock.now();
  const write = itemUpdateInput(call, sent, id, {
    fields: { ...fields, ...(likely && { qty: likely.qty }) },
    metadata: change.metadata,
    expected: {
      codes: sentCodes(change),
      units: likely?.units,
      revisions,
      metadataKeys: added > 0 ? limits.metadata.keysStored - added : undefined,
    },
  });
  try {
    const stored = await database.update(call, write, { idempotent: revisions?.length === 1 });
    return { done: true, item: readItem(stored).item };
  } catch (error) {
    if (error instanceof UnknownOutcome) return resolveUnknownOutcome(database, update, sent, error);
    return readRefusal(error, call, revisions?.[0]);
  }
}

function sentCodes({ fields }: ItemChange): Partial<Identifiers> {
  return Object.fromEntries(
    identifierNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}

/**
 * What became of a write whose answer was lost and that must not be sent again: it is told by who wrote last.
 * @param sent when it was sent, in milliseconds since 1970
 */
async function resolveUnknownOutcome(
  database: Database,
  { call, id }: Modification,
  sent: number,
  cause: unknown,
): Promise<Outcome> {
  const attributes = await database.get(call, keys.item(call.account, id));
  if (attributes === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  const { item, writeId, writtenAt } = readItem(attributes);
  if (writeId === call.writeId) return { done: true, item };
  // Another may have written over ours, unless the last write had surely landed before it: a write is sent again for
  // as long as its call lasts, and keeps the time of its first sending.
  if (writtenAt + longestCall + messageTimeout + clockSkew < sent) return { done: false, item };
  throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
}

/**
 * The stored item that a refusal carries, and whether it is what this very request has written.
 * @param base the revision that was written under; undefined: any
 */
function readRefusal(error: unknown, call: RequestContext, base: number | undefined): Outcome {
  if (!(error instanceof ConditionFailed)) throw error;
  const [slot] = error.reasons;
  if (slot?.record === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  const { item, writeId } = readItem(slot.record);
  if (writeId === call.writeId) return { done: true, item };
  // Sent twice, and written more than once since: one of those may have been ours.
  if (error.afterLostAnswer && base !== undefined && base !== noRevision && item.revision > base + 1)
    throw new CatalogError('SERVICE_UNAVAILABLE', { cause: error });
  return { done: false, item };
}

/** The write that is built from the stored item, and holds only at its revision. */
interface Plan {
  readonly base: number;
  readonly next: Item;
  /** The codes that the item gets and loses, whose guards go along. */
  readonly taken: readonly Identifier[];
  readonly freed: readonly Identifier[];
  /** `If-Match` names another revision: the write is only tried to learn whether a code is taken. */
  readonly isOutdated: boolean;
}

function planFrom(seen: Item, { change, revisions }: Modification, account: Account): Plan {
  const next = applyChange(seen, change, account);
  const taken = identifiersBeyond(next, seen);
  const isOutdated = revisions !== undefined && !revisions.includes(seen.revision);
  // A taken code is told before an outdated revision, so with codes to take the write is tried all the same.
  if (isOutdated && taken.length === 0) throw new CatalogError('PRECONDITION_FAILED');
  return {
    base: isOutdated ? noRevision : seen.revision,
    next,
    taken,
    freed: identifiersBeyond(seen, next),
    isOutdated,
  };
}

async function writeAtRevision(database: Database, update: Modification, plan: Plan): Promise<Outcome> {
  try {
    return { done: true, item: await write(database, update, plan) };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const { taken, freed, isOutdated, base } = plan;
    const isTaken = taken.some((_, index) => error.failed(1 + index));
    if (isOutdated) throw new CatalogError(isTaken ? 'ITEM_ALREADY_EXISTS' : 'PRECONDITION_FAILED');
    if (error.failed(0)) return readRefusal(error, update.call, base);
    if (isTaken) throw new CatalogError('ITEM_ALREADY_EXISTS');
    // A partial restore from a backup may leave a code whose guard is another item's. That guard stays.
    const own = freed.filter((_, index) => !error.failed(1 + taken.length + index));
    return writeAtRevision(database, update, { ...plan, freed: own });
  }
}

async function write(database: Database, { call, id, change }: Modification, plan: Plan): Promise<Item> {
  const { next, taken, freed } = plan;
  const input = itemUpdateInput(call, database.clock.now(), id, {
    fields: { ...change.fields, ...(change.unroundedQty !== undefined && { qty: next.qty }) },
    metadata: change.metadata,
    expected: { revisions: [plan.base] },
  });
  if (sameCodes(plan)) return readItem(await database.update(call, input, { idempotent: true })).item;
  await database.transact(call, [
    { Update: { ...input, TableName: database.table } },
    ...taken.map((code) => putGuard(database.table, call, id, code)),
    ...freed.map((code) => deleteGuard(database.table, call, id, code)),
  ]);
  return next;
}

const sameCodes = ({ taken, freed }: Plan): boolean => taken.length + freed.length === 0;
