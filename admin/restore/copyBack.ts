import { CommandError } from '../../cli/commandError.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { getRecord } from '../../lib/store/database/reads.ts';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { keyIn, parseKey } from '../../lib/store/records/parseKey.ts';
import { inParallel } from '../table/inParallel.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { itemPages, type ScanSource, scanTable } from '../table/scanTable.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import { type CopyOptions, ItemCopier, type ItemRevisions, writeUnits } from './itemCopier.ts';
import { restoreAccount, restoreIdempotencyRecord } from './restoreAccount.ts';

export type CopyScope =
  /** Everything that is lost, of one account or of all. Of one, idempotency records are left out. */
  | { readonly account: string | undefined; readonly items?: undefined }
  | { readonly account: string; readonly items: ItemRevisions };

/**
 * Copies what was lost from a restored table back into the table in use, during live traffic, by the rules of
 * `restoreAccount`, `restoreItems` and `restoreIdempotencyRecord`, in this order. Guards and list positions follow from
 * the items. Everything that was created or changed since is kept. It can be killed at any point and run again. Of an
 * account that is being deleted, nothing is put back: the deletion would remove some of it, and leave the rest.
 * @param scan the restored table
 * @throws CommandError if the restored table does not have the account; CatalogError `SERVICE_UNAVAILABLE` if a table
 * does not answer in time
 */
export async function copyBack(scan: ScanSource, { account, items }: CopyScope, options: CopyOptions): Promise<void> {
  const copiers = new Map<string, Promise<ItemCopier | undefined>>();
  /** Kept until all items are copied: about 200 bytes for each create of the last 24 hours that had a key. */
  const idempotency: { readonly account: string; readonly key: Key }[] = [];
  /** Restores an account's own records, before its items. Gives undefined if it is being deleted, or was at that time. */
  const openCopier = async (owner: string): Promise<ItemCopier | undefined> => {
    const closureIn = (table: Database) => getRecord(operatorSession(table, owner), keys.closure(owner));
    const isClosed = (await closureIn(options.live)) !== undefined;
    if (isClosed) options.report({ of: 'account being deleted', account: owner });
    if (isClosed || (await closureIn(options.restored)) !== undefined) return undefined;
    await restoreAndReport(options, 6, () => restoreAccount(options, owner));
    return new ItemCopier(options, owner, items);
  };
  const copierOf = (owner: string): Promise<ItemCopier | undefined> => {
    const copier = copiers.get(owner) ?? openCopier(owner);
    copiers.set(owner, copier);
    return copier;
  };
  const copyPage = async (records: readonly StoredRecord[]): Promise<void> => {
    options.progress.records += records.length;
    for (const [owner, owned] of Map.groupBy(records, accountOf)) {
      const copier = owner === undefined ? undefined : await copierOf(owner);
      if (owner === undefined || copier === undefined) continue;
      for (const key of owned.map(keyIn))
        if (parseKey(key)?.kind === 'idempotency') idempotency.push({ account: owner, key });
      await copier.copy(owned);
    }
  };
  if (account === undefined) await scanTable(scan, options, copyPage);
  else {
    if ((await getRecord(operatorSession(options.restored, account), keys.account(account))) === undefined)
      throw new CommandError(`The restored table has no account ${account}.`);
    // Without the rest of the table, over which the idempotency records are spread.
    const pages = items === undefined ? itemPages(options.restored, account, options.limiter) : [];
    for await (const records of pages) await copyPage(records);
    await (await copierOf(account))?.copyNamed([...(items?.keys() ?? [])]);
  }
  for (const copier of copiers.values()) await (await copier)?.exchange();
  await inParallel(options.segments, idempotency.values(), (record) =>
    restoreAndReport(options, 2, () => restoreIdempotencyRecord(options, record)),
  );
}

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
