import type { Database } from '../../store/database/database.ts';
import { equals, expressions } from '../../store/database/expressions.ts';
import { getRecord, getRecords, queryPage } from '../../store/database/reads.ts';
import type { Key, StoredRecord } from '../../store/database/record.ts';
import { keyAttributes } from '../../store/database/record.ts';
import { itemPartition, keys } from '../../store/records/keys.ts';
import type { RecordKind } from '../../store/records/parseKey.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { OperatorError } from '../accounts.ts';
import { inParallel } from '../inParallel.ts';
import { operatorSession } from '../operatorSession.ts';
import type { RateLimiter } from '../rateLimiter.ts';
import type { ScanSource } from '../scanTable.ts';
import { scanTable, sizeOf } from '../scanTable.ts';
import type { CopyOutcome, ItemOutcome, ItemResult, Refused } from './copyOutcome.ts';
import { exchangeIdentifiers, inOrder } from './exchangeIdentifiers.ts';
import { restoreAccount } from './restoreAccount.ts';
import { restoreIdempotencyRecord } from './restoreIdempotencyRecord.ts';
import type { ItemPair, RestoreOptions } from './restoreItem.ts';
import { restoreItem } from './restoreItem.ts';

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

/** The progress of the copying, updated as it runs. */
interface CopyProgress {
  /** Records read from the restored table. */
  records: number;
  /** Items that were compared. */
  items: number;
}

export interface CopyOptions extends RestoreOptions {
  /** Number of parts of the restored table to read in parallel. */
  readonly segments: number;
  readonly limiter: RateLimiter;
  readonly progress: CopyProgress;
  /** Called for each outcome, except for intact items. */
  readonly report: (outcome: CopyOutcome) => void;
}

/** Maximum number of items that are read or written at once, and their bytes, so that a message arrives in time. */
const batchSize = 25;
const batchBytes = 256 * 1_024;
/** Maximum number of items of unknown size that are read at once. */
const smallBatch = 5;
/** Approximate cost of putting an item back: a transaction of three small records, one of them also in the index. */
const writeUnits = 8;

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
  const copying = new Copying(from, live, options, scope.items);
  const { segments, limiter } = options;
  if (scope.items !== undefined) await copying.named(scope.account, [...scope.items.keys()]);
  else if (scope.account !== undefined) await copying.account(scope.account);
  else await scanTable(from.scan, { segments, limiter }, (page) => copying.page(page));
  await copying.refused();
  await copying.idempotencyRecords();
}

async function requireCopyOf(account: string, restored: Database): Promise<void> {
  const record = await getRecord(operatorSession(restored, account), keys.account(account));
  if (record === undefined) throw new OperatorError(`The restored table has no account ${account}.`);
}

interface Copy {
  readonly account: string;
  readonly id: number;
  readonly copy: StoredRecord;
}

class Copying {
  readonly #from: CopySource;
  readonly #live: Database;
  readonly #options: CopyOptions;
  readonly #revisions: CopyScope['items'];
  readonly #accounts = new Map<string, Promise<void>>();
  /** Items whose identifiers other items had. Those may be put back later, and free them. */
  readonly #refused: Refused[] = [];
  /** Items that were put back over other values, which may have freed identifiers: account and id. */
  readonly #moved = new Set<string>();
  /** Kept until all items are copied: about 200 bytes for each create of the last 24 hours that had a key. */
  readonly #idempotency: { readonly account: string; readonly key: Key }[] = [];

  constructor(from: CopySource, live: Database, options: CopyOptions, revisions: CopyScope['items']) {
    this.#from = from;
    this.#live = live;
    this.#options = options;
    this.#revisions = revisions;
  }

  async page(records: readonly StoredRecord[]): Promise<void> {
    this.#options.progress.records += records.length;
    const copies: Copy[] = [];
    for (const record of records) {
      const kind = parseKey(keyIn(record));
      const account = kind && accountOf(kind);
      if (kind === undefined || account === undefined) continue;
      if (kind.kind === 'item') copies.push({ account, id: kind.id, copy: record });
      if (kind.kind === 'idempotency') this.#idempotency.push({ account, key: keyIn(record) });
      await this.#configuration(account);
    }
    await this.#copyItems(copies);
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
      const found = await this.#read(this.#from.database, account, batch);
      this.#options.progress.records += found.size;
      for (const id of batch.filter((one) => !found.has(one)))
        this.#options.report({ of: 'item', account, id, result: 'no copy' });
      await this.#copyItems([...found].map(([id, copy]) => ({ account, id, copy })));
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

  async #copyItems(copies: readonly Copy[]): Promise<void> {
    for (const [account, own] of Map.groupBy(copies, (copy) => copy.account))
      for (const batch of inBatches(own)) {
        const ids = batch.map(({ id }) => id);
        const seen = await this.#read(this.#live, account, ids);
        await Promise.all(batch.map((one) => this.#copyItem(one, seen.get(one.id))));
      }
  }

  async #copyItem(copy: Copy, seen: StoredRecord | undefined): Promise<void> {
    const outcome = await this.#restore(copy, seen);
    this.#options.progress.items += 1;
    if (outcome.result === 'put back' && outcome.loss !== 'missing')
      this.#moved.add(nameOf(outcome.account, outcome.id));
    if (outcome.result === 'identifier taken') this.#refused.push(outcome);
    else this.#report(outcome);
  }

  async #restore(
    copy: Copy,
    seen: StoredRecord | undefined,
    isFreed?: (item: number) => boolean,
  ): Promise<ItemOutcome> {
    const restore = () => restoreItem(this.#live, this.#pair(copy, seen), this.#options, isFreed);
    const used = (done: ItemResult) => (done.result === 'put back' ? writeUnits : 0);
    return { of: 'item', account: copy.account, id: copy.id, ...(await this.#options.limiter.run(0, restore, used)) };
  }

  #pair(copy: Copy, seen: StoredRecord | undefined): ItemPair {
    return { ...copy, seen, overwrites: this.#revisions !== undefined && { revision: this.#revisions.get(copy.id) } };
  }

  #report(outcome: ItemOutcome): void {
    if (outcome.result !== 'whole') this.#options.report(outcome);
  }

  /** Puts back items whose identifiers other items had that are put back as well, whatever the order. */
  async refused(): Promise<void> {
    for (const [account, refused] of Map.groupBy(this.#refused, (one) => one.account)) {
      const left = new Map(refused.map((one) => [one.id, one]));
      const isFreed = (item: number | null) =>
        item !== null && (left.has(item) || this.#moved.has(nameOf(account, item)));
      for (let size = Infinity; left.size < size; ) {
        size = left.size;
        for (const one of left.values())
          if (!one.taken.every(({ item }) => isFreed(item))) {
            left.delete(one.id);
            this.#report(one);
          }
      }
      for (const ids of inOrder(left)) await this.#exchange(account, ids, new Set(left.keys()));
    }
  }

  /** Puts back items that have each other's identifiers, or a single one whose identifiers are free by now. */
  async #exchange(account: string, ids: readonly number[], all: ReadonlySet<number>): Promise<void> {
    const { limiter, isDryRun } = this.#options;
    const pairs: { readonly copy: Copy; readonly seen: StoredRecord | undefined }[] = [];
    for (let from = 0; from < ids.length; from += smallBatch) {
      const batch = ids.slice(from, from + smallBatch);
      const [copies, present] = await Promise.all(
        [this.#from.database, this.#live].map((table) => this.#read(table, account, batch)),
      );
      for (const [id, copy] of copies ?? []) pairs.push({ copy: { account, id, copy }, seen: present?.get(id) });
    }
    const isFreed = (item: number) => all.has(item) || this.#moved.has(nameOf(account, item));
    const together = pairs.map(({ copy, seen }) => this.#pair(copy, seen));
    const exchange = () => exchangeIdentifiers(this.#live, account, together, this.#options);
    const done =
      ids.length > 1 && !isDryRun
        ? await limiter.run(ids.length * writeUnits, exchange, () => ids.length * writeUnits)
        : undefined;
    for (const [index, { copy, seen }] of pairs.entries()) {
      const result = done?.[index];
      this.#report(
        result === undefined
          ? await this.#restore(copy, seen, isFreed)
          : { of: 'item', account, id: copy.id, ...result },
      );
    }
  }

  /** Items of an account, by their ids. */
  async #read(table: Database, account: string, ids: readonly number[]): Promise<Map<number, StoredRecord>> {
    const { limiter } = this.#options;
    const wanted = ids.map((id) => keys.item(account, id));
    const read = () => getRecords(operatorSession(table, account), wanted);
    const records = await limiter.run(ids.length, read, (found) => Math.max(ids.length, sizeOf(found) / 4_096));
    return new Map(records.map((record) => [idIn(record), record]));
  }
}

const nameOf = (account: string, id: number): string => `${account}#${id}`;

const accountOf = (kind: RecordKind): string | undefined => ('account' in kind ? kind.account : undefined);

/** The id in an item's key, because its other attributes may be damaged. */
function idIn(record: StoredRecord): number {
  const kind = parseKey(keyIn(record));
  return kind?.kind === 'item' ? kind.id : 0;
}

function inBatches(copies: readonly Copy[]): Copy[][] {
  const batches: Copy[][] = [];
  let bytes = 0;
  for (const copy of copies) {
    const size = sizeOf(copy.copy);
    const last = batches.at(-1);
    if (last === undefined || last.length === batchSize || bytes + size > batchBytes) {
      batches.push([copy]);
      bytes = size;
    } else {
      last.push(copy);
      bytes += size;
    }
  }
  return batches;
}
