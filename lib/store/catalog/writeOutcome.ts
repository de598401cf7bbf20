import type { Modification } from '../../catalog/catalogStore.ts';
import { missingItem } from '../../item/item.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { ItemRecord } from '../records/itemRecord.ts';
import { readItem } from '../records/itemRecord.ts';

/** Either the write is done and `stored` is what it left, or nothing was written and the next must be based on `stored`. */
export interface Outcome {
  readonly done: boolean;
  readonly stored: ItemRecord;
}

/** The name of the item's part, in a transaction and alone. */
export const itemPart = 'item';

/**
 * The stored item that a refusal of its part carries.
 * @param error what the write threw
 * @throws CatalogError as `missingItem` says when there is none; the error itself when it is no refusal
 */
export function readRefusal(error: unknown, { change, account }: Modification): Outcome {
  if (!(error instanceof ConditionFailed)) throw error;
  const record = error.stored(itemPart);
  if (record === undefined) throw missingItem(change, account);
  return { done: false, stored: readItem(record) };
}
