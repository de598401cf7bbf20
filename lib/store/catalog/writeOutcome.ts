import type { Modification } from '../../catalog/catalogStore.ts';
import { missingItem } from '../../item/item.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';

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
