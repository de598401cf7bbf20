import type { Account } from '../item/account.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError, catalogErrorOf, errors } from '../item/errors.ts';
import type { FieldName } from '../item/fields.ts';
import type { JsonObject } from '../item/json.ts';
import { awaitAll } from './awaitAll.ts';
import type { ItemWriter, OpenStore } from './catalogStore.ts';
import { dryWriter } from './dryWriter.ts';
import { type Batch, type BatchRow, readBatch } from './readBatch.ts';
import type { RequestContext } from './requestContext.ts';
import { timeouts } from './timeouts.ts';
import { type WrittenRow, writeRow } from './writeRow.ts';

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
