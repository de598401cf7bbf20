import type { Modification } from '../../catalog/catalogStore.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';
import { missingItem } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { StoredRecord } from '../database/record.ts';
import { updateRecord } from '../database/writes.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import type { KeyedUpdate } from '../records/keyedUpdate.ts';
import { earlierUpdate } from '../records/keyedUpdate.ts';
import { fenceInput } from './updateExpression.ts';

/**
 * If `done`, the write succeeded and `stored` is the result. Otherwise nothing was written, and the next write must be
 * based on `stored`.
 */
export interface Outcome {
  readonly done: boolean;
  readonly stored: ItemRecord;
}

/** The name of the item's part, in a transaction and in a single write. */
export const itemPart = 'item';

/**
 * Reads the stored item from a failed condition on it.
 * @param error what the write threw
 * @throws CatalogError the error of `missingItem` if the item does not exist; the original error if it is not a failed
 * condition
 */
export function readFailedCondition(error: unknown, { change, account }: Modification): Outcome {
  if (!(error instanceof ConditionFailed)) throw error;
  const record = error.stored(itemPart);
  if (record === undefined) throw missingItem(change, account);
  return { done: false, stored: readItem(record) };
}

/** A write to an item whose response was lost. */
interface LostWrite {
  readonly id: number;
  /** When it was sent. */
  readonly sentAt: EpochMs;
  /** The lowest revision that the write can have changed. Infinite if its condition cannot hold. */
  readonly lowest: number;
  readonly keyed: KeyedUpdate | undefined;
  readonly cause: unknown;
}

/**
 * Resolves the unknown outcome of a write whose response was lost. Reading the item would not be enough, because the
 * write may still be in flight. The fence raises the item's `closed_until` to the time at which the write was sent, and
 * every write requires its own time to be later. So the lost write either landed before the fence, or never will.
 * @returns whether the write landed, and the item as of the fence
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the outcome cannot be determined, so the write may have landed
 */
export async function fenceItem(session: Session, { id, sentAt, lowest, keyed, cause }: LostWrite): Promise<Outcome> {
  const attempts = session.attempts();
  await attempts.backOff('unknown', cause);
  const record = await raiseFence(session, id, sentAt);
  attempts.succeed();
  // An item that does not exist cannot be fenced: it may be created before the lost write lands.
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  const stored = readItem(record);
  if (stored.writeId === session.context.writeId) return { done: true, stored };
  const isRemembered = keyed !== undefined && earlierUpdate(stored, keyed) === 'done';
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
    return error.stored('item');
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
