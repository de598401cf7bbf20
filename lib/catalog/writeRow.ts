import { CatalogError, throwIfAny, validationFailed } from '../item/errors.ts';
import type { IdentifierName } from '../item/fields.ts';
import { identifierIn, parseBody, required } from '../item/readBody.ts';
import type { InsertedItem, ItemWriter, ModifiedItem } from './catalogStore.ts';
import { createItem } from './createItem.ts';
import type { Batch, BatchRow } from './readBatch.ts';
import { updateItem } from './updateItem.ts';

export interface WrittenRow extends InsertedItem, Pick<ModifiedItem, 'before' | 'isUnchanged'> {
  readonly isCreated: boolean;
}

/** @throws CatalogError the errors of `createItem` and `updateItem` */
export async function writeRow(store: ItemWriter, row: BatchRow, batch: Batch): Promise<WrittenRow> {
  throwIfAny(row.invalid);
  const { match } = batch;
  if (row.target.id !== undefined) return update(store, row, row.target.id);
  const text = match === undefined ? undefined : identifierIn(row.body, match);
  if (match === undefined || typeof text !== 'string') {
    if (batch.canCreate) return create(store, row);
    const { invalid } = parseBody(row.body);
    const own = invalid.find(({ field }) => field === match) ?? required(match ?? 'id');
    throw validationFailed([own, ...invalid.filter((one) => one !== own)]);
  }
  return writeMatched(store, row, batch, match, text);
}

/** How often a row's identifier may move while the row is written. */
const maxMoves = 5;

/**
 * Updates the item that has the row's identifier, or creates it. If the identifier has moved by the time of the write,
 * its item is looked up again, a few times: a damaged store could report a move forever. A row that was created
 * by its key is not matched, because it would find its own item and overwrite what others have written since.
 */
async function writeMatched(
  store: ItemWriter,
  row: BatchRow,
  { repeated, canCreate }: Batch,
  name: IdentifierName,
  text: string,
): Promise<WrittenRow> {
  let refusal: CatalogError | undefined;
  for (let moves = 1; ; moves += 1) {
    const { key } = row;
    const item = await (key === undefined
      ? store.findByIdentifier({ name, text })
      : store.findMatch({ name, text }, key));
    // A partial restore can leave an identifier that is taken without an item that has it.
    if (item === undefined && refusal !== undefined) throw refusal;
    if (!canCreate && typeof item !== 'object')
      throw new CatalogError('ITEM_NOT_FOUND', {
        message: `No item has the ${name} ${text}.`,
        subject: { field: name },
      });
    try {
      if (item === undefined || item === 'created') return await create(store, row);
      throwIfAny(repeated.add('id', item.id, row.place));
      return await update(store, row, item.id, name);
    } catch (error) {
      if (!hasMoved(error, name) || moves === maxMoves) throw error;
      refusal = item === undefined ? error : undefined;
    }
  }
}

/** Whether a row was refused because its identifier is no longer that of the item that was found. */
const hasMoved = (error: unknown, name: IdentifierName): error is CatalogError =>
  error instanceof CatalogError &&
  (error.code === 'PRECONDITION_FAILED' ||
    error.code === 'ITEM_NOT_FOUND' ||
    (error.code === 'ITEM_ALREADY_EXISTS' && error.fields?.some(({ field }) => field === name) === true));

const create = async (store: ItemWriter, { body, key }: BatchRow): Promise<WrittenRow> => ({
  ...(await createItem(store, body, key)),
  isCreated: true,
});

async function update(store: ItemWriter, row: BatchRow, id: number, match?: IdentifierName): Promise<WrittenRow> {
  const { body, key, target, skipsUnchanged } = row;
  const revisions = target.revision === undefined ? undefined : [target.revision];
  return { ...(await updateItem(store, { id, body, revisions, match, key, skipsUnchanged })), isCreated: false };
}
