import type { Identifier, Modification, ModifiedItem } from '../../catalog/catalogStore.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { alreadyExists, CatalogError } from '../../item/errors.ts';
import { type Item, missingItem } from '../../item/item.ts';
import { getRecord, type Session } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import type { StoredRecord } from '../database/record.ts';
import { transact, updateRecord } from '../database/writes.ts';
import { guardPart, guardParts, takenIdentifiers } from '../records/guardRecord.ts';
import { earlierUpdate, keyedUpdate } from '../records/idempotencyRecord.ts';
import { type ItemRecord, readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';
import type { AccountCache } from './accountCache.ts';
import { fenceInput, itemUpdateInput } from './itemUpdateInput.ts';
import { hasGuards, optimisticWrite, type PlannedWrite, writeFrom } from './plannedWrite.ts';

/**
 * Changes an item without reading it first. A write that is refused brings the stored item, from which the next one is
 * planned (docs/design.md#update). @throws CatalogError as `ItemUpdater.modifyItem` says
 */
export async function modifyItem(
  session: Session,
  accounts: AccountCache,
  modification: Modification,
): Promise<ModifiedItem> {
  const { id, key, revisions, skipsUnchanged } = modification;
  const attempts = session.attempts();
  const update = key && keyedUpdate(session.context, key, session.clock.now());
  let outcome = skipsUnchanged
    ? { done: false, stored: await readStored(session, modification) }
    : await sendWrite(session, modification, optimisticWrite(modification, update));
  let isUnchanged: boolean | undefined;
  for (let isSecond = true; ; isSecond = false) {
    const { done, stored } = outcome;
    const { item } = stored;
    if (done) return { item, isOutdated: false, replayed: false, isUnchanged };
    if (update && earlierUpdate(stored, update) === 'done') return { item, isOutdated: false, replayed: true };
    if (!isMatched(item, modification)) return { item, isOutdated: true, replayed: false };
    // The first write failed because of what it expected, not because of another writer.
    if (!isSecond) await attempts.backOff('moved', new Error('Other writers of the item were faster'));
    // A unit registered within the last minute may be missing from the container's cache.
    const account = modification.account.units.has(item.unit) ? modification.account : await accounts.current(session);
    const current = { ...modification, account };
    const write = writeFrom(stored, current, update, isSecond);
    if (revisions?.includes(item.revision) === false) {
      // A taken identifier (409) takes precedence over an outdated revision (412).
      await checkIdentifiers(session, id, write);
      return { item, isOutdated: true, replayed: false };
    }
    isUnchanged = write.isUnchanged;
    const needsNoWrite = isUnchanged && update === undefined;
    outcome = needsNoWrite ? { done: true, stored } : await sendWrite(session, current, write);
  }
}

/** Reads an item that probably needs no write. */
async function readStored(session: Session, { id, change, account }: Modification): Promise<ItemRecord> {
  const record = await getRecord(session, keys.item(session.context.account, id));
  if (record === undefined) throw missingItem(change, account);
  return readItem(record);
}

/** Whether an item has the identifier by which it was found. Each write requires it, because the change names it. */
const isMatched = (item: Item, { match, change }: Modification): boolean =>
  match === undefined || item[match] === change.fields[match];

/** If `done`, `stored` is the item after the write. Otherwise nothing was written, and `stored` is the item as it is. */
interface Outcome {
  readonly done: boolean;
  readonly stored: ItemRecord;
}

/** The name of the item's part, in a transaction and in a single write. */
const itemPart = 'item';

/** @throws CatalogError `ITEM_ALREADY_EXISTS`, `SERVICE_UNAVAILABLE`, or that of `missingItem` */
async function sendWrite(session: Session, modification: Modification, write: PlannedWrite): Promise<Outcome> {
  const { id, change, account } = modification;
  const { guards, earliest } = write;
  // Another container's clock may be ahead of ours, but this write must be later than the fence and the last write.
  const sentAt = Math.max(session.clock.now(), earliest);
  try {
    return { done: true, stored: await writeItem(session, id, write, sentAt) };
  } catch (error) {
    if (error instanceof UnknownOutcome) return fenceItem(session, id, write, sentAt, error);
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed(itemPart)) {
      const record = error.stored(itemPart);
      if (record === undefined) throw missingItem(change, account);
      return { done: false, stored: readItem(record) };
    }
    throwIfTaken(error, guards.taken);
    // A partial restore can leave an item whose identifier is guarded by another item. Keep that guard.
    const freed = guards.freed.filter((identifier) => !error.failed(guardPart.delete(identifier)));
    return sendWrite(session, modification, { ...write, guards: { ...guards, freed } });
  }
}

/** @returns the item after the write. After a transaction whose result is not known, it is read, perhaps with later changes */
async function writeItem(session: Session, id: number, write: PlannedWrite, sentAt: EpochMs): Promise<ItemRecord> {
  const { account, user } = session.context;
  const parts = partsToWrite(session, id, write, sentAt);
  if (!hasGuards(write.guards)) return readItem(await updateRecord(session, parts.item.Update, { idempotent: false }));
  await transact(session, parts, { idempotent: false });
  const { result } = write;
  if (result !== undefined) return { ...result, item: { ...result.item, updatedAt: sentAt, updatedBy: user } };
  const record = await getRecord(session, keys.item(account, id));
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE');
  return readItem(record);
}

const partsToWrite = ({ context }: Session, id: number, write: PlannedWrite, sentAt: EpochMs) => ({
  [itemPart]: { Update: itemUpdateInput(context, sentAt, id, write) },
  ...guardParts(context, id, write.guards),
});

/**
 * Sends a write for a revision that no item has: the transaction always fails, and its cancellation reasons show which
 * identifiers are taken. @throws CatalogError `ITEM_ALREADY_EXISTS` if one is
 */
async function checkIdentifiers(session: Session, id: number, write: PlannedWrite): Promise<void> {
  const { taken } = write.guards;
  if (taken.length === 0) return;
  const never = { ...write, expected: { ...write.expected, revisions: [0] } };
  try {
    await transact(session, partsToWrite(session, id, never, session.clock.now()));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throwIfTaken(error, taken);
  }
}

function throwIfTaken(failed: ConditionFailed, identifiers: readonly Identifier[]): void {
  const taken = takenIdentifiers(failed, identifiers);
  if (taken.length > 0) throw alreadyExists(taken);
}

/**
 * Resolves the outcome of a write whose response was lost (docs/design.md#lost-responses). After the fence, it has landed
 * or never will.
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the write may have landed
 */
async function fenceItem(
  session: Session,
  id: number,
  { keyed, lowest }: PlannedWrite,
  sentAt: EpochMs,
  cause: UnknownOutcome,
): Promise<Outcome> {
  const attempts = session.attempts();
  await attempts.backOff('unknown', cause);
  const record = await raiseFence(session, id, sentAt);
  attempts.succeed();
  // An item that does not exist cannot be fenced: it may be created before the lost write lands.
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  const stored = readItem(record);
  if (stored.writeId === session.context.writeId) return { done: true, stored };
  const isRemembered = keyed !== undefined && earlierUpdate(stored, keyed.update) === 'done';
  if (!isRemembered && mayBeOverwritten(stored, lowest, sentAt))
    throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  return { done: false, stored };
}

/** Idempotent: a fence that lands twice or late never lowers a later fence. */
async function raiseFence(session: Session, id: number, sentAt: EpochMs): Promise<StoredRecord | undefined> {
  try {
    return await updateRecord(session, fenceInput(session.context, id, sentAt), { idempotent: true });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.stored(itemPart);
  }
}

/**
 * How far before the lost write the item's last write must have been sent to show that the former did not land: to hide
 * it, four requests would have to follow it, each sent up to {@link timeouts.clockSkew} before the one that it overwrites.
 */
const margin = 3 * timeouts.clockSkew;

/** Whether the lost write may have landed and then been overwritten by another request. */
const mayBeOverwritten = ({ item, writtenAt }: ItemRecord, lowest: number, sentAt: EpochMs): boolean =>
  // It left at least the revision after the lowest one, so others have written only if the item is beyond that.
  item.revision > lowest + 1 && writtenAt + margin >= sentAt;
