import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Database } from '../database/database.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { fenceInput } from './updateExpression.ts';

/** A write to an item whose answer was lost. */
interface LostWrite {
  readonly id: number;
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The revisions under which it was sent; undefined: any. */
  readonly revisions: readonly number[] | undefined;
  readonly cause: unknown;
}

/**
 * Finds out what became of a write whose answer was lost, and makes it final. The message may still be on its way, so
 * reading the item would not do. The fence raises the item's `closed_until` to the time at which the message was sent;
 * every write requires that its own time is later. So the message has landed before the fence, or it never will.
 * @returns whether the write was done, and the item as it is behind the fence
 * @throws CatalogError `SERVICE_UNAVAILABLE` when that cannot be told, and the message may have landed
 */
export async function fenceItem(
  database: Database,
  context: RequestContext,
  { id, sentAt, revisions, cause }: LostWrite,
): Promise<{ done: boolean; stored: ItemRecord }> {
  const attempts = database.attempts(context);
  await attempts.backOff('unknown', cause);
  const record = await raiseFence(database, context, id, sentAt);
  attempts.succeed();
  // An item that does not exist cannot be fenced: it may be created before the message lands.
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  const stored = readItem(record);
  if (stored.writeId === context.writeId) return { done: true, stored };
  if (mayBeOverwritten(stored, revisions, sentAt)) throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  return { done: false, stored };
}

/** Idempotent: a fence that lands twice, or late, never lowers a later one. */
async function raiseFence(
  database: Database,
  context: RequestContext,
  id: number,
  sentAt: number,
): Promise<StoredRecord | undefined> {
  try {
    return await database.update(context, fenceInput(context, id, sentAt), { idempotent: true });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.stored('item');
  }
}

/** Whether the lost write may have landed although another request is the last that wrote to the item. */
function mayBeOverwritten({ item, writtenAt }: ItemRecord, revisions: LostWrite['revisions'], sentAt: number): boolean {
  // Landing at revision r, it has left r + 1. Another has written since only if the item is beyond that. No item is at 0.
  const isPossible =
    revisions === undefined || revisions.some((revision) => revision > 0 && revision + 1 < item.revision);
  // The last write was sent so long before ours that it cannot have landed after it, whatever the two clocks say. A write
  // keeps its time for as long as its request lasts.
  const isOlder = writtenAt + timeouts.request + timeouts.exchange + timeouts.clockSkew < sentAt;
  return isPossible && !isOlder;
}
