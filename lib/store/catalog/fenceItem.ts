import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Database } from '../database/database.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { fenceInput } from './updateExpression.ts';

/** A write to an item whose response was lost. */
interface LostWrite {
  readonly id: number;
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The revisions that the write was conditional on. Undefined means any. */
  readonly revisions: readonly number[] | undefined;
  readonly cause: unknown;
}

/**
 * Resolves the unknown outcome of a write whose response was lost. Reading the item would not be enough, because the
 * write may still be in flight. The fence raises the item's `closed_until` to the time at which the write was sent, and
 * every write requires its own time to be later. So the lost write either landed before the fence, or never will.
 * @returns whether the write landed, and the item as of the fence
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the outcome cannot be determined, so the write may have landed
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
  // An item that does not exist cannot be fenced: it may be created before the lost write lands.
  if (record === undefined) throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  const stored = readItem(record);
  if (stored.writeId === context.writeId) return { done: true, stored };
  if (mayBeOverwritten(stored, revisions, sentAt)) throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
  return { done: false, stored };
}

/** Idempotent: a fence that lands twice or late never lowers a later fence. */
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

/** Whether the lost write may have landed and then been overwritten by another request. */
function mayBeOverwritten({ item, writtenAt }: ItemRecord, revisions: LostWrite['revisions'], sentAt: number): boolean {
  // A write that lands on revision r leaves r + 1, so it can only have been overwritten if the item is beyond that. No
  // item is at revision 0.
  const isPossible =
    revisions === undefined || revisions.some((revision) => revision > 0 && revision + 1 < item.revision);
  // The last write was sent so long before ours that it cannot have landed after it, even allowing for clock skew. A
  // write keeps its original time through all retries, which end with its request.
  const isOlder = writtenAt + timeouts.request + timeouts.databaseRequest + timeouts.clockSkew < sentAt;
  return isPossible && !isOlder;
}
