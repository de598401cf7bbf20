import type { Modification } from '../../catalog/catalogStore.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { alreadyExists, CatalogError } from '../../item/errors.ts';
import { missingItem } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../database/failures.ts';
import { getRecord } from '../database/reads.ts';
import type { StoredRecord } from '../database/record.ts';
import { transact, updateRecord } from '../database/writes.ts';
import { guardPart, guardParts, type Identifier, takenIdentifiers } from '../records/guardRecord.ts';
import { earlierUpdate } from '../records/idempotencyKey.ts';
import { type ItemRecord, readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';
import { fenceInput, hasGuards, itemUpdateInput, type PlannedWrite } from './buildWrite.ts';

/**
 * If `done`, the write succeeded and `stored` is the result. Otherwise nothing was written, and the next write must be
 * based on `stored`.
 */
interface Outcome {
  readonly done: boolean;
  readonly stored: ItemRecord;
}

/** The name of the item's part, in a transaction and in a single write. */
const itemPart = 'item';

/**
 * Sends a write once, and finds out what became of it.
 * @throws CatalogError `ITEM_NOT_FOUND`, `ITEM_ALREADY_EXISTS`, `SERVICE_UNAVAILABLE`; that of `missingItem` if the item
 * does not exist
 */
export async function sendWrite(session: Session, modification: Modification, write: PlannedWrite): Promise<Outcome> {
  const { id, change, account } = modification;
  const { guards, earliest } = write;
  // Another container's clock may be ahead of ours, but this write must be later than the fence and the last write.
  const sentAt = Math.max(session.clock.now(), earliest);
  try {
    const send = hasGuards(guards) ? writeWithGuards : writeAlone;
    return { done: true, stored: await send(session, id, write, sentAt) };
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

/** DynamoDB returns the updated item, so the write need not require that the rest of it is unchanged. */
async function writeAlone(session: Session, id: number, write: PlannedWrite, sentAt: EpochMs): Promise<ItemRecord> {
  const input = itemUpdateInput(session.context, sentAt, id, write);
  return readItem(await updateRecord(session, input, { idempotent: false }));
}

/** A transaction does not return the item. If it was not known in advance, it is read, possibly with later changes. */
async function writeWithGuards(
  session: Session,
  id: number,
  write: PlannedWrite,
  sentAt: EpochMs,
): Promise<ItemRecord> {
  const { account, user } = session.context;
  await transact(session, partsOf(session, id, write, sentAt), { idempotent: false });
  const { result } = write;
  if (result !== undefined) return { ...result, item: { ...result.item, updatedAt: sentAt, updatedBy: user } };
  const record = await getRecord(session, keys.item(account, id));
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE');
  return readItem(record);
}

/** The parts of the transaction that writes the item with its guards. */
const partsOf = ({ context }: Session, id: number, write: PlannedWrite, sentAt: EpochMs) => ({
  [itemPart]: { Update: itemUpdateInput(context, sentAt, id, write) },
  ...guardParts(context, id, write.guards),
});

/**
 * Checks that the identifiers of a write are free, without doing the write. It sends the write for a revision that no
 * item has: the transaction always fails, and its cancellation reasons show which identifiers are taken.
 * @throws CatalogError `ITEM_ALREADY_EXISTS` if one is taken
 */
export async function checkIdentifiers(session: Session, id: number, write: PlannedWrite): Promise<void> {
  const { taken } = write.guards;
  if (taken.length === 0) return;
  const never = { ...write, expected: { ...write.expected, revisions: [noRevision] } };
  try {
    await transact(session, partsOf(session, id, never, session.clock.now()));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throwIfTaken(error, taken);
  }
}

const noRevision = 0;

function throwIfTaken(failed: ConditionFailed, identifiers: readonly Identifier[]): void {
  const taken = takenIdentifiers(failed, identifiers);
  if (taken.length > 0) throw alreadyExists(taken);
}

/**
 * Resolves the unknown outcome of a write whose response was lost. Reading the item would not be enough, because the
 * write may still be in flight. The fence raises the item's `closed_until` to the time at which the write was sent, and
 * every write requires its own time to be later. So the lost write either landed before the fence, or never will.
 * @returns whether the write landed, and the item as of the fence
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the outcome cannot be determined, so the write may have landed
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
 * How far before the lost write the item's last write must have been sent to show that the former did not land. Each
 * write that lands was sent at most {@link timeouts.clockSkew} before the one that it overwrites. So after the lost
 * write, it would take four requests, each sent long before the last, for the item's time to fall so far behind.
 */
const margin = 3 * timeouts.clockSkew;

/** Whether the lost write may have landed and then been overwritten by another request. */
const mayBeOverwritten = ({ item, writtenAt }: ItemRecord, lowest: number, sentAt: EpochMs): boolean =>
  // It left at least the revision after the lowest one, so others have written only if the item is beyond that.
  item.revision > lowest + 1 && writtenAt + margin >= sentAt;
