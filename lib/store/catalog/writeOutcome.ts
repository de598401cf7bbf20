import { CatalogError } from '../../item/errors.ts';
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
 * @throws CatalogError `ITEM_NOT_FOUND` when there is none; the error itself when it is no refusal
 */
export function readRefusal(error: unknown): Outcome {
  if (!(error instanceof ConditionFailed)) throw error;
  const record = error.stored(itemPart);
  if (record === undefined) throw new CatalogError('ITEM_NOT_FOUND');
  return { done: false, stored: readItem(record) };
}
