import type { Account } from '../item/account.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError, catalogErrorOf, errors, throwIfAny, validationFailed } from '../item/errors.ts';
import type { FieldName, IdentifierName } from '../item/fields.ts';
import type { JsonObject } from '../item/json.ts';
import { identifierIn, parseBody, required } from '../item/readBody.ts';
import { awaitAll } from './awaitAll.ts';
import type { InsertedItem, ItemWriter, ModifiedItem, OpenStore } from './catalogStore.ts';
import { createItem } from './createItem.ts';
import { dryWriter } from './dryWriter.ts';
import { type Batch, type BatchRow, readBatch } from './readBatch.ts';
import type { RequestContext } from './requestContext.ts';
import { timeouts } from './timeouts.ts';
import { updateItem } from './updateItem.ts';

export interface BatchWork {
  readonly openStore: OpenStore<ItemWriter>;
  readonly context: RequestContext;
  readonly newWriteId: () => string;
  readonly now: () => EpochMs;
  /** The fields that the caller may not see. */
  readonly hidden: readonly FieldName[];
}

/** The outcome of a row. An error is the one of the same row in a request of its own. */
export type RowOutcome = WrittenRow | CatalogError;

/** How many rows are written at the same time. */
const atOnce = 10;

/**
 * Creates and updates items, independently of each other. Each row has a write id of its own, because two that shared
 * one would take each other's writes for their own. No row begins that could not end before the deadline, nor any after
 * one that was throttled or could not be completed. @returns the outcomes in the order of the rows
 * @throws CatalogError `VALIDATION_FAILED` on a member of the batch, `FORBIDDEN` if there is no such account, or the
 * error of the first row if none of them could be decided
 */
export async function writeItems(work: BatchWork, body: JsonObject, key?: string): Promise<readonly RowOutcome[]> {
  const { openStore, context, newWriteId, now, hidden } = work;
  const { stats, deadline } = context;
  const batch = readBatch(body, key, hidden);
  const open = (): ItemWriter => {
    const store = openStore({ ...context, writeId: newWriteId() });
    return batch.isDry ? dryWriter(store) : store;
  };
  const currentAccount = await prepare(open(), batch);
  const references = new Map<string, Promise<Account>>();
  const { throttled } = stats.retries;
  let isBusy = false;
  const mayBegin = () => !isBusy && stats.retries.throttled === throttled && now() + timeouts.batchRow <= deadline;
  const decide = async (row: BatchRow): Promise<RowOutcome> => {
    if (row.invalid.length === 0 && !mayBegin())
      return new CatalogError('SERVICE_UNAVAILABLE', { cause: new Error('The row was not begun') });
    const outcome = await writeRow(rowWriter(open(), currentAccount, references), row, batch).catch(catalogErrorOf);
    isBusy ||= outcome instanceof CatalogError && outcome.code === 'SERVICE_UNAVAILABLE';
    return outcome;
  };
  const outcomes: RowOutcome[] = [];
  const left = batch.rows.entries();
  const worker = async () => {
    for (const [index, row] of left) outcomes[index] = await decide(row);
  };
  await awaitAll(Array.from({ length: atOnce }, worker));
  // A success without any result would hide an outage.
  if (outcomes.every(isUndecided)) throw outcomes[0];
  return outcomes;
}

/** Leases ids for the rows that may be creates. @returns a function that reads the current account, once for all rows */
async function prepare(store: ItemWriter, { rows, canCreate }: Batch): Promise<() => Promise<Account>> {
  const creates = !canCreate
    ? 0
    : rows.filter(({ target, invalid }) => target.id === undefined && invalid.length === 0).length;
  const prepared = creates === 0 ? undefined : store.prepareInsert(creates);
  try {
    await store.account();
  } finally {
    // No database request may be under way when this one is answered.
    await prepared;
  }
  let current: Promise<Account> | undefined;
  return () => {
    current ??= store.currentAccount();
    return current;
  };
}

/** The store of one row, which shares what other rows have read, and the ids that were leased for all. */
const rowWriter = (
  store: ItemWriter,
  currentAccount: () => Promise<Account>,
  references: Map<string, Promise<Account>>,
): ItemWriter => ({
  ...store,
  currentAccount,
  accountWith(category, unit) {
    const reading = references.get(`${category} ${unit}`) ?? store.accountWith(category, unit);
    references.set(`${category} ${unit}`, reading);
    return reading;
  },
  prepareInsert: async () => undefined,
});

/** Whether a row failed for no fault of its own. It may have been written. */
export const isUndecided = (outcome: RowOutcome): outcome is CatalogError =>
  outcome instanceof CatalogError && errors[outcome.code].status >= 500;

interface WrittenRow extends InsertedItem, Pick<ModifiedItem, 'before' | 'isUnchanged'> {
  readonly isCreated: boolean;
}

/** @throws CatalogError the errors of `createItem` and `updateItem` */
async function writeRow(store: ItemWriter, row: BatchRow, batch: Batch): Promise<WrittenRow> {
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
