import type { Database } from '../../store/database/database.ts';
import { equals, expressions } from '../../store/database/expressions.ts';
import { getRecord, queryPage } from '../../store/database/reads.ts';
import type { Key, StoredRecord } from '../../store/database/record.ts';
import { keyAttributes } from '../../store/database/record.ts';
import { itemPartition, keys } from '../../store/records/keys.ts';
import type { RecordKind } from '../../store/records/parseKey.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { OperatorError } from '../accounts.ts';
import { inParallel } from '../inParallel.ts';
import { operatorSession } from '../operatorSession.ts';
import type { ScanSource } from '../scanTable.ts';
import { scanTable, sizeOf } from '../scanTable.ts';
import type { CopyOptions, ItemCopy } from './itemCopier.ts';
import { batchSize, ItemCopier, smallBatch, writeUnits } from './itemCopier.ts';
import { restoreAccount } from './restoreAccount.ts';
import { restoreIdempotencyRecord } from './restoreIdempotencyRecord.ts';

/** The restored table. */
export interface CopySource {
  readonly scan: ScanSource;
  readonly database: Database;
}

/** What to copy. */
export type CopyScope =
  /** Everything that is lost, of one account or of all. Of one, idempotency records are left out. */
  | { readonly account: string | undefined; readonly items?: undefined }
  /** Items of an account by their ids, each with the revision at which newer values are overwritten. */
  | { readonly account: string; readonly items: ReadonlyMap<number, number | undefined> };

/**
 * Copies what was lost from a restored table back into the table in use, during live traffic. `restoreAccount`,
 * `restoreItem` and `restoreIdempotencyRecord` define what is put back and under which conditions, and run in this
 * order. Items that have each other's identifiers are put back together. Guards and list positions are not copied,
 * because they follow from the items. Everything that was created or changed since is kept. It can be killed at any
 * point and run again.
 * @throws OperatorError if the restored table does not have the account; CatalogError `SERVICE_UNAVAILABLE` if a table
 * does not answer in time
 */
export async function copyBack(
  from: CopySource,
  live: Database,
  scope: CopyScope,
  options: CopyOptions,
): Promise<void> {
  if (scope.account !== undefined) await requireCopyOf(scope.account, from.database);
  const copier = new ItemCopier(from.database, live, options, scope.items);
  const copying = new Copying(from, live, options, copier);
  const { segments, limiter } = options;
  if (scope.items !== undefined) await copying.named(scope.account, [...scope.items.keys()]);
  else if (scope.account !== undefined) await copying.account(scope.account);
  else await scanTable(from.scan, { segments, limiter }, (page) => copying.page(page));
  await copier.exchange();
  await copying.idempotencyRecords();
}

async function requireCopyOf(account: string, restored: Database): Promise<void> {
  const record = await getRecord(operatorSession(restored, account), keys.account(account));
  if (record === undefined) throw new OperatorError(`The restored table has no account ${account}.`);
}

class Copying {
  readonly #from: CopySource;
  readonly #live: Database;
  readonly #options: CopyOptions;
  readonly #copier: ItemCopier;
  readonly #accounts = new Map<string, Promise<void>>();
  /** Kept until all items are copied: about 200 bytes for each create of the last 24 hours that had a key. */
  readonly #idempotency: { readonly account: string; readonly key: Key }[] = [];

  constructor(from: CopySource, live: Database, options: CopyOptions, copier: ItemCopier) {
    this.#from = from;
    this.#live = live;
    this.#options = options;
    this.#copier = copier;
  }

  async page(records: readonly StoredRecord[]): Promise<void> {
    this.#options.progress.records += records.length;
    const copies: ItemCopy[] = [];
    for (const record of records) {
      const kind = parseKey(keyIn(record));
      const account = kind && accountOf(kind);
      if (kind === undefined || account === undefined) continue;
      if (kind.kind === 'item') copies.push({ account, id: kind.id, copy: record });
      if (kind.kind === 'idempotency') this.#idempotency.push({ account, key: keyIn(record) });
      await this.#configuration(account);
    }
    await this.#copier.copy(copies);
  }

  /** Reads an account's items, without the rest of the table. Its idempotency records are spread over the rest. */
  async account(account: string): Promise<void> {
    const { limiter } = this.#options;
    await this.#configuration(account);
    let start: StoredRecord | undefined;
    do {
      const input = {
        ...expressions((use) => ({
          KeyConditionExpression: equals(use, keyAttributes.partition, itemPartition(account)),
        })),
        Limit: batchSize,
        ExclusiveStartKey: start,
      };
      const read = () => queryPage(operatorSession(this.#from.database, account), input);
      const page = await limiter.run(1, read, ({ records }) => Math.max(0.5, sizeOf(records) / (2 * 4_096)));
      await this.page(page.records);
      start = page.next;
    } while (start !== undefined);
  }

  /** Copies items by their ids. */
  async named(account: string, ids: readonly number[]): Promise<void> {
    await this.#configuration(account);
    for (let from = 0; from < ids.length; from += smallBatch) {
      const batch = ids.slice(from, from + smallBatch);
      const found = await this.#copier.read(this.#from.database, account, batch);
      this.#options.progress.records += found.size;
      for (const id of batch.filter((one) => !found.has(one)))
        this.#options.report({ of: 'item', account, id, result: 'no copy' });
      await this.#copier.copy([...found].map(([id, copy]) => ({ account, id, copy })));
    }
  }

  async idempotencyRecords(): Promise<void> {
    const { segments, limiter, report } = this.#options;
    await inParallel(segments, this.#idempotency.values(), async (record) => {
      const restore = () => restoreIdempotencyRecord(this.#from.database, this.#live, record, this.#options);
      const outcomes = await limiter.run(2, restore, (done) => 2 + done.length * writeUnits);
      outcomes.forEach(report);
    });
  }

  /** Runs once for each account, before its items. */
  #configuration(account: string): Promise<void> {
    const restored = this.#accounts.get(account) ?? this.#restoreAccount(account);
    this.#accounts.set(account, restored);
    return restored;
  }

  async #restoreAccount(account: string): Promise<void> {
    const { limiter, report } = this.#options;
    const restore = () => restoreAccount(this.#from.database, this.#live, account, this.#options);
    const outcomes = await limiter.run(6, restore, (done) => 6 + done.length * writeUnits);
    outcomes.forEach(report);
  }
}

const accountOf = (kind: RecordKind): string | undefined => ('account' in kind ? kind.account : undefined);
