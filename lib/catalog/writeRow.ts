import { CatalogError, throwIfAny } from '../item/errors.ts';
import type { IdentifierName } from '../item/fields.ts';
import { identifierIn } from '../item/repeatedRows.ts';
import type { IdentifierQuery } from './catalogReader.ts';
import type { ItemWriter } from './catalogStore.ts';
import { createItem } from './createItem.ts';
import type { Batch, BatchRow } from './readBatch.ts';
import { updateItem } from './updateItem.ts';

/** A row that was written, or that a dry run would write. */
export interface WrittenRow {
  readonly isCreated: boolean;
  /** Undefined for an item that a dry run would create. */
  readonly id: number | undefined;
  readonly revision: number;
  /** Whether an earlier request with the same key wrote it. */
  readonly replayed: boolean;
}

/** @throws CatalogError the errors of `createItem` and `updateItem` */
export async function writeRow(store: ItemWriter, row: BatchRow, batch: Batch): Promise<WrittenRow> {
  const { match, isDry } = batch;
  if (row.id !== undefined) return update(store, row, row.id);
  const text = match === undefined ? undefined : identifierIn(row.body, match);
  if (match === undefined || typeof text !== 'string') return create(store, row, isDry);
  return writeMatched(store, row, batch, { name: match, text });
}

/**
 * Updates the item that has the row's identifier, or creates it. If the identifier has moved by the time of the write,
 * its item is looked up again.
 *
 * A row that was created by its key is not matched: it would find the item that it created itself, and overwrite what
 * others have written since. Whether it was is looked up after the item, because the create that stored the one has
 * stored the other.
 */
async function writeMatched(store: ItemWriter, row: BatchRow, { isDry, repeated }: Batch, identifier: IdentifierQuery) {
  for (let refusal: CatalogError | undefined; ; ) {
    const item = await store.findByIdentifier(identifier);
    // A partial restore can leave an identifier that is taken without an item that has it.
    if (item === undefined && refusal !== undefined) throw refusal;
    try {
      if (item === undefined || (row.key !== undefined && (await store.hasCreated(row.key))))
        return await create(store, row, isDry);
      throwIfAny(repeated.take('id', item.id, row.place));
      return await update(store, row, item.id, identifier.name);
    } catch (error) {
      if (!hasMoved(error, identifier.name)) throw error;
      refusal = item === undefined ? error : undefined;
    }
  }
}

/** Whether a row was refused because another item has its identifier than was found, or none. */
const hasMoved = (error: unknown, name: IdentifierName): error is CatalogError =>
  error instanceof CatalogError &&
  (error.code === 'PRECONDITION_FAILED' ||
    error.code === 'ITEM_NOT_FOUND' ||
    (error.code === 'ITEM_ALREADY_EXISTS' && error.fields?.some(({ field }) => field === name) === true));

async function create(store: ItemWriter, { body, key }: BatchRow, isDry: boolean): Promise<WrittenRow> {
  const { item, replayed } = await createItem(store, body, key);
  return { isCreated: true, id: isDry ? undefined : item.id, revision: item.revision, replayed };
}

async function update(store: ItemWriter, row: BatchRow, id: number, match?: IdentifierName): Promise<WrittenRow> {
  const { body, revision, key } = row;
  const revisions = revision === undefined ? undefined : [revision];
  const { item, replayed } = await updateItem(store, { id, body, revisions, match, key });
  return { isCreated: false, id, revision: item.revision, replayed };
}
