import type { Database } from '../../store/database/database.ts';
import { getRecords } from '../../store/database/reads.ts';
import type { StoredRecord } from '../../store/database/record.ts';
import { keys } from '../../store/records/keys.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { operatorSession } from '../operatorSession.ts';
import type { RateLimiter } from '../rateLimiter.ts';
import { sizeOf } from '../scanTable.ts';
import type { BlockedItem, CopyOutcome, ItemOutcome, ItemResult } from './copyOutcome.ts';
import { exchangeIdentifiers, inOrder } from './exchangeIdentifiers.ts';
import type { ItemPair, RestoreOptions } from './restoreItem.ts';
import { restoreItem } from './restoreItem.ts';

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
export const batchSize = 25;
const batchBytes = 256 * 1_024;
/** Maximum number of items of unknown size that are read at once. */
export const smallBatch = 5;
/** Approximate cost of putting an item back: a transaction of three small records, one of them also in the index. */
export const writeUnits = 8;

/** An item of the restored table. */
export interface ItemCopy {
  readonly account: string;
  readonly id: number;
  readonly copy: StoredRecord;
}

/** Copies items back, in batches. Items that have each other's identifiers are left for {@link ItemCopier.exchange}. */
export class ItemCopier {
  readonly #restored: Database;
  readonly #live: Database;
  readonly #options: CopyOptions;
  /** The revision of each item at which newer values are overwritten; undefined overwrites none. */
  readonly #revisions: ReadonlyMap<number, number | undefined> | undefined;
  /** Items whose identifiers other items had. Those may be put back later, and free them. */
  readonly #blocked: BlockedItem[] = [];
  /** Items that were put back over other values, which may have freed identifiers: account and id. */
  readonly #moved = new Set<string>();

  constructor(
    restored: Database,
    live: Database,
    options: CopyOptions,
    revisions: ReadonlyMap<number, number | undefined> | undefined,
  ) {
    this.#restored = restored;
    this.#live = live;
    this.#options = options;
    this.#revisions = revisions;
  }

  async copy(copies: readonly ItemCopy[]): Promise<void> {
    for (const [account, own] of Map.groupBy(copies, (copy) => copy.account))
      for (const batch of inBatches(own)) {
        const ids = batch.map(({ id }) => id);
        const seen = await this.read(this.#live, account, ids);
        await Promise.all(batch.map((one) => this.#copyItem(one, seen.get(one.id))));
      }
  }

  async #copyItem(copy: ItemCopy, seen: StoredRecord | undefined): Promise<void> {
    const outcome = await this.#restore(copy, seen);
    this.#options.progress.items += 1;
    if (outcome.result === 'put back' && outcome.loss !== 'missing')
      this.#moved.add(nameOf(outcome.account, outcome.id));
    if (outcome.result === 'identifier taken') this.#blocked.push(outcome);
    else this.#report(outcome);
  }

  async #restore(
    copy: ItemCopy,
    seen: StoredRecord | undefined,
    isFreed?: (item: number) => boolean,
  ): Promise<ItemOutcome> {
    const restore = () => restoreItem(this.#live, this.#pair(copy, seen), this.#options, isFreed);
    const used = (done: ItemResult) => (done.result === 'put back' ? writeUnits : 0);
    return { of: 'item', account: copy.account, id: copy.id, ...(await this.#options.limiter.run(0, restore, used)) };
  }

  #pair(copy: ItemCopy, seen: StoredRecord | undefined): ItemPair {
    return { ...copy, seen, overwrites: this.#revisions !== undefined && { revision: this.#revisions.get(copy.id) } };
  }

  #report(outcome: ItemOutcome): void {
    if (outcome.result !== 'whole') this.#options.report(outcome);
  }

  /** Puts back items whose identifiers other items had that are put back as well, whatever the order. */
  async exchange(): Promise<void> {
    for (const [account, blocked] of Map.groupBy(this.#blocked, (one) => one.account)) {
      const left = new Map(blocked.map((one) => [one.id, one]));
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
    const pairs: { readonly copy: ItemCopy; readonly seen: StoredRecord | undefined }[] = [];
    for (let from = 0; from < ids.length; from += smallBatch) {
      const batch = ids.slice(from, from + smallBatch);
      const [copies, present] = await Promise.all(
        [this.#restored, this.#live].map((table) => this.read(table, account, batch)),
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
  async read(table: Database, account: string, ids: readonly number[]): Promise<Map<number, StoredRecord>> {
    const { limiter } = this.#options;
    const wanted = ids.map((id) => keys.item(account, id));
    const read = () => getRecords(operatorSession(table, account), wanted);
    const records = await limiter.run(ids.length, read, (found) => Math.max(ids.length, sizeOf(found) / 4_096));
    return new Map(records.map((record) => [idIn(record), record]));
  }
}

const nameOf = (account: string, id: number): string => `${account}#${id}`;

/** The id in an item's key, because its other attributes may be damaged. */
function idIn(record: StoredRecord): number {
  const kind = parseKey(keyIn(record));
  return kind?.kind === 'item' ? kind.id : 0;
}

function inBatches(copies: readonly ItemCopy[]): ItemCopy[][] {
  const batches: ItemCopy[][] = [];
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
