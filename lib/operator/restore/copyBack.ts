import { equals, expressions } from '../../store/database/expressions.ts';
import { getRecord, queryPage } from '../../store/database/reads.ts';
import type { Key, StoredRecord } from '../../store/database/record.ts';
import { keyAttributes } from '../../store/database/record.ts';
import { itemPartition, keys } from '../../store/records/keys.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { OperatorError } from '../accounts.ts';
import { inParallel } from '../inParallel.ts';
import { operatorSession } from '../operatorSession.ts';
import type { ScanSource } from '../scanTable.ts';
import { scanTable, sizeOf } from '../scanTable.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import type { CopyOptions, ItemRevisions } from './itemCopier.ts';
import { batchSize, ItemCopier, itemsById, writeUnits } from './itemCopier.ts';
import { restoreAccount } from './restoreAccount.ts';
import { restoreIdempotencyRecord } from './restoreIdempotencyRecord.ts';

/** What to copy. */
export type CopyScope =
  /** Everything that is lost, of one account or of all. Of one, idempotency records are left out. */
  | { readonly account: string | undefined; readonly items?: undefined }
  /** Some items of an account. */
  | { readonly account: string; readonly items: ItemRevisions };

/**
 * Copies what was lost from a restored table back into the table in use, during live traffic. `restoreAccount`,
 * `restoreItem` and `restoreIdempotencyRecord` define what is put back and under which conditions, and run in this
 * order. Items that have each other's identifiers are put back together. Guards and list positions are not copied,
 * because they follow from the items. Everything that was created or changed since is kept. It can be killed at any
 * point and run again.
 * @param scan the restored table
 * @throws OperatorError if the restored table does not have the account; CatalogError `SERVICE_UNAVAILABLE` if a table
 * does not answer in time
 */
export async function copyBack(scan: ScanSource, scope: CopyScope, options: CopyOptions): Promise<void> {
  const { account, items } = scope;
  if (account !== undefined) await requireCopyOf(account, options);
  const copier = new ItemCopier(options, items);
  const copying = new Copying(options, copier);
  if (account === undefined) await scanTable(scan, options, (page) => copying.page(page));
  else {
    await copying.configuration(account);
    if (items === undefined) await copying.items(account);
    else await copier.copyNamed(account, [...items.keys()]);
  }
  await copier.exchange();
  await copying.idempotencyRecords();
}

async function requireCopyOf(account: string, { restored }: CopyOptions): Promise<void> {
  const record = await getRecord(operatorSession(restored, account), keys.account(account));
  if (record === undefined) throw new OperatorError(`The restored table has no account ${account}.`);
}

class Copying {
  readonly #options: CopyOptions;
  readonly #copier: ItemCopier;
  readonly #accounts = new Map<string, Promise<void>>();
  /** Kept until all items are copied: about 200 bytes for each create of the last 24 hours that had a key. */
  readonly #idempotency: { readonly account: string; readonly key: Key }[] = [];

  constructor(options: CopyOptions, copier: ItemCopier) {
    this.#options = options;
    this.#copier = copier;
  }

  async page(records: readonly StoredRecord[]): Promise<void> {
    this.#options.progress.records += records.length;
    for (const [account, own] of Map.groupBy(records, accountOf)) {
      if (account === undefined) continue;
      for (const key of own.map(keyIn))
        if (parseKey(key)?.kind === 'idempotency') this.#idempotency.push({ account, key });
      await this.configuration(account);
      await this.#copier.copy(account, itemsById(own));
    }
  }

  /** Reads an account's items, without the rest of the table. Its idempotency records are spread over the rest. */
  async items(account: string): Promise<void> {
    const { limiter, restored } = this.#options;
    let start: StoredRecord | undefined;
    do {
      const input = {
        ...expressions((use) => ({
          KeyConditionExpression: equals(use, keyAttributes.partition, itemPartition(account)),
        })),
        Limit: batchSize,
        ExclusiveStartKey: start,
      };
      const read = () => queryPage(operatorSession(restored, account), input);
      const page = await limiter.run(1, read, ({ records }) => Math.max(0.5, sizeOf(records) / (2 * 4_096)));
      await this.page(page.records);
      start = page.next;
    } while (start !== undefined);
  }

  /** Restores an account's own records. Runs once for each account, before its items. */
  configuration(account: string): Promise<void> {
    const restored = this.#accounts.get(account) ?? this.#restore(6, () => restoreAccount(this.#options, account));
    this.#accounts.set(account, restored);
    return restored;
  }

  idempotencyRecords(): Promise<void> {
    return inParallel(this.#options.segments, this.#idempotency.values(), (record) =>
      this.#restore(2, () => restoreIdempotencyRecord(this.#options, record)),
    );
  }

  /** @param reads how many capacity units are read, in addition to what is written */
  async #restore(reads: number, restore: () => Promise<CopyOutcome[]>): Promise<void> {
    const { limiter, report } = this.#options;
    const outcomes = await limiter.run(reads, restore, (done) => reads + done.length * writeUnits);
    outcomes.forEach(report);
  }
}

function accountOf(record: StoredRecord): string | undefined {
  const key = parseKey(keyIn(record));
  return key !== undefined && 'account' in key ? key.account : undefined;
}
