import { CommandError } from '../../cli/print.ts';
import { parts } from '../../lib/item/lists.ts';
import { type Database, getRecord, getRecords } from '../../lib/store/database/database.ts';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { keyIn, keys, parseKey } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { inParallel, itemPages, readUnits, type ScanSource, scanTable, segments } from '../table/scanTable.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import { restoreAccount, restoreIdempotencyRecord } from './restoreAccount.ts';
import { type RestoreOptions, restoreItem } from './restoreItem.ts';

/** Everything that is lost, of one account or of all. Of one, idempotency records are left out; or only some of its items. */
export interface CopyScope {
  readonly account: string | undefined;
  readonly items?: readonly number[] | undefined;
}

export interface CopyOptions extends RestoreOptions {
  readonly limiter: RateLimiter;
  /** Counts the records read from the restored table and the items that were compared, as it runs. */
  readonly progress: { records: number; items: number };
  /** Called for each outcome, except for unchanged items. */
  readonly report: (outcome: CopyOutcome) => void;
}

/** Items, of unknown size, that one request reads, so that it arrives in time; and such requests at once. */
const batchSize = 5;
const batches = 5;
/** Approximate cost of putting an item back: a transaction of three small records, one of them also in the index. */
const writeUnits = 8;

/**
 * Copies what is missing from a restored table back into the table in use, during live traffic, by the rules of
 * `restoreAccount`, `restoreItem` and `restoreIdempotencyRecord`, in this order. Guards and list positions follow from the
 * items. Everything that exists is kept. It can be killed at any point and run again. Of an account that is being
 * deleted, nothing is put back: the deletion would remove some of it, and leave the rest.
 * @param scan the restored table
 * @throws CommandError if the restored table does not have the account; CatalogError `SERVICE_UNAVAILABLE` if a table
 * does not answer in time
 */
export async function copyBack(scan: ScanSource, { account, items }: CopyScope, options: CopyOptions): Promise<void> {
  const opened = new Map<string, Promise<boolean>>();
  /** The accounts without a record of their own, because it is not put back. */
  const unseen = new Set<string>();
  /** Kept until all items are copied: about 200 bytes for each create of the last 24 hours that had a key. */
  const idempotency: { readonly account: string; readonly key: Key }[] = [];
  /** Restores an account's own records, before its items. @returns false if it is being deleted, or was at that time */
  const open = async (owner: string): Promise<boolean> => {
    const closureIn = (table: Database) => getRecord(operatorSession(table, owner), keys.closure(owner));
    const isClosed = (await closureIn(options.live)) !== undefined;
    if (isClosed) options.report({ of: 'account being deleted', account: owner });
    if (isClosed || (await closureIn(options.restored)) !== undefined) return false;
    await restoreAndReport(options, 6, () => restoreAccount(options, owner));
    if (!(await hasAccount(options, owner))) unseen.add(owner);
    return true;
  };
  /** Whether an open account is still open. If so, a deletion that begins now removes what is written within a minute. */
  const isStillOpen = async (owner: string): Promise<boolean> => {
    if (unseen.has(owner) || (await hasAccount(options, owner))) return true;
    if (await opened.get(owner)) options.report({ of: 'account being deleted', account: owner });
    opened.set(owner, Promise.resolve(false));
    return false;
  };
  const isOpen = (owner: string): Promise<boolean> => {
    const known = opened.get(owner) ?? open(owner);
    opened.set(owner, known);
    return known;
  };
  const copyPage = async (records: readonly StoredRecord[]): Promise<void> => {
    options.progress.records += records.length;
    for (const [owner, owned] of Map.groupBy(records, accountOf)) {
      if (owner === undefined || !(await isOpen(owner))) continue;
      for (const key of owned.map(keyIn))
        if (parseKey(key)?.kind === 'idempotency') idempotency.push({ account: owner, key });
      await copyItems(options, owner, itemsById(owned), isStillOpen);
    }
  };
  if (account === undefined) await scanTable({ source: scan, limiter: options.limiter }, copyPage);
  else {
    if ((await getRecord(operatorSession(options.restored, account), keys.account(account))) === undefined)
      throw new CommandError(`The restored table has no account ${account}.`);
    // Without the rest of the table, over which the idempotency records are spread.
    const pages =
      items === undefined ? itemPages({ database: options.restored, limiter: options.limiter }, account) : [];
    for await (const records of pages) await copyPage(records);
    if (items !== undefined && (await isOpen(account))) await copyNamed(options, account, items, isStillOpen);
  }
  await inParallel(segments, idempotency.values(), async (record) => {
    if (await isStillOpen(record.account))
      await restoreAndReport(options, 3, () => restoreIdempotencyRecord(options, record));
  });
}

type IsStillOpen = (account: string) => Promise<boolean>;

const hasAccount = async ({ live }: CopyOptions, account: string): Promise<boolean> =>
  (await getRecord(operatorSession(live, account), keys.account(account))) !== undefined;

async function copyNamed(
  options: CopyOptions,
  account: string,
  items: readonly number[],
  isStillOpen: IsStillOpen,
): Promise<void> {
  for (const ids of parts([...new Set(items)], batchSize)) {
    const found = await readItems(options, options.restored, account, ids);
    options.progress.records += found.size;
    for (const id of ids.filter((each) => !found.has(each)))
      options.report({ of: 'item', account, id, result: 'no copy' });
    await copyItems(options, account, found, isStillOpen);
  }
}

async function copyItems(
  options: CopyOptions,
  account: string,
  copies: ReadonlyMap<number, StoredRecord>,
  isStillOpen: IsStillOpen,
) {
  const { limiter, progress, report, live } = options;
  await inParallel(batches, parts([...copies], batchSize), async (batch) => {
    const ids = batch.map(([id]) => id);
    const present = await readItems(options, live, account, ids);
    if (!(await isStillOpen(account))) return;
    const restore = async ([id, copy]: readonly [number, StoredRecord]) => {
      const done = await limiter.run(
        0,
        () => restoreItem(options, account, copy, present.get(id)),
        ({ result }) => (result === 'put back' ? writeUnits : 0),
      );
      progress.items += 1;
      if (done.result !== 'unchanged') report({ of: 'item', account, id, ...done });
    };
    await Promise.all(batch.map(restore));
  });
}

async function readItems({ limiter }: CopyOptions, table: Database, account: string, ids: readonly number[]) {
  const wanted = ids.map((id) => keys.item(account, id));
  const read = () => getRecords(operatorSession(table, account), wanted);
  return itemsById(await limiter.run(ids.length, read, (found) => Math.max(ids.length, readUnits(found))));
}

/** The items among records, by the ids in their keys, because their other attributes may be damaged. */
const itemsById = (records: readonly StoredRecord[]): Map<number, StoredRecord> =>
  new Map(
    records.flatMap((record) => {
      const key = parseKey(keyIn(record));
      return key?.kind === 'item' ? [[key.id, record]] : [];
    }),
  );

/** @param reads how many capacity units are read, in addition to what is written */
async function restoreAndReport(
  { limiter, report }: CopyOptions,
  reads: number,
  restore: () => Promise<CopyOutcome[]>,
): Promise<void> {
  const outcomes = await limiter.run(reads, restore, (done) => reads + done.length * writeUnits);
  outcomes.forEach(report);
}

function accountOf(record: StoredRecord): string | undefined {
  const key = parseKey(keyIn(record));
  return key !== undefined && 'account' in key ? key.account : undefined;
}
