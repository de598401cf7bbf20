import type { Database } from '../../lib/store/database/database.ts';
import { getRecords } from '../../lib/store/database/reads.ts';
import type { StoredRecord } from '../../lib/store/database/record.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { keyIn, parseKey } from '../../lib/store/records/parseKey.ts';
import { inParallel } from '../table/inParallel.ts';
import { operatorSession } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { readUnits } from '../table/scanTable.ts';
import type { ItemPair, RestoreOptions } from './compareItem.ts';
import type { CopyOutcome, ItemResult } from './copyOutcome.ts';
import type { RestoredItem } from './restoreItems.ts';
import { restoreItems } from './restoreItems.ts';

export interface CopyOptions extends RestoreOptions {
  /** Number of parts of the restored table to read in parallel. */
  readonly segments: number;
  readonly limiter: RateLimiter;
  /** Counts the records read from the restored table and the items that were compared, as it runs. */
  readonly progress: { records: number; items: number };
  /** Called for each outcome, except for intact items. */
  readonly report: (outcome: CopyOutcome) => void;
}

/** Items by their ids, each with the revision at which newer values are overwritten; undefined overwrites none. */
export type ItemRevisions = ReadonlyMap<number, number | undefined>;

/** Number of items, of unknown size, that one message reads, so that it arrives in time. */
const batchSize = 5;
/** Number of such messages at once. */
const batches = 5;
/** Approximate cost of putting an item back: a transaction of three small records, one of them also in the index. */
export const writeUnits = 8;

/** An item whose identifiers other items have. `item` is null if the guard cannot be read. */
interface BlockedItem extends ItemPair {
  readonly taken: readonly { readonly item: number | null }[];
}

/**
 * Copies an account's items back, in batches. Items whose identifiers other items have are kept until
 * {@link ItemCopier.exchange}, because those may be put back later and free them.
 */
export class ItemCopier {
  readonly #options: CopyOptions;
  readonly #account: string;
  readonly #revisions: ItemRevisions | undefined;
  readonly #blocked: BlockedItem[] = [];
  /** Items that free identifiers, because they were put back over other values or may be. */
  readonly #moving = new Set<number>();

  constructor(options: CopyOptions, account: string, revisions: ItemRevisions | undefined) {
    this.#options = options;
    this.#account = account;
    this.#revisions = revisions;
  }

  async copyNamed(ids: readonly number[]): Promise<void> {
    const { restored, progress } = this.#options;
    for (const batch of inBatches(ids)) {
      const found = await this.#read(restored, batch);
      progress.records += found.size;
      for (const id of batch.filter((one) => !found.has(one))) this.#report(id, { result: 'no copy' });
      await this.copy([...found.values()]);
    }
  }

  /** @param records of the restored table. Those that are no items are ignored. */
  async copy(records: readonly StoredRecord[]): Promise<void> {
    await inParallel(batches, inBatches([...itemsById(records)]), async (batch) => {
      const ids = batch.map(([id]) => id);
      const present = await this.#read(this.#options.live, ids);
      await Promise.all(
        batch.map(([id, copy]) => {
          const overwrites = this.#revisions !== undefined && { revision: this.#revisions.get(id) };
          return this.#copyItem({ id, copy, seen: present.get(id), overwrites });
        }),
      );
    });
  }

  async #copyItem(item: ItemPair): Promise<void> {
    for (const { pair, result } of await this.#restore([item], () => false)) {
      const isBlocked = result.result === 'identifier taken';
      if (isBlocked) this.#blocked.push({ ...pair, taken: result.taken });
      else this.#report(pair.id, result);
      if (isBlocked || (result.result === 'put back' && result.loss !== 'missing')) this.#moving.add(pair.id);
    }
    this.#options.progress.items += 1;
  }

  /** Puts back items whose identifiers other items had that are put back as well, whatever the order. */
  async exchange(): Promise<void> {
    const isFreed = (item: number) => this.#moving.has(item);
    for (const group of byDependency(this.#blocked)) {
      let done = await this.#restore(group, isFreed);
      if (!done.every(isPutBack)) {
        // So those that need their identifiers are not put back either.
        for (const { id } of group) this.#moving.delete(id);
        if (group.length > 1) done = await this.#restoreEach(group, isFreed);
      }
      for (const { pair, result } of done) this.#report(pair.id, result);
    }
  }

  async #restoreEach(items: readonly ItemPair[], isFreed: (item: number) => boolean): Promise<RestoredItem[]> {
    const done: RestoredItem[] = [];
    for (const item of items) done.push(...(await this.#restore([item], isFreed)));
    return done;
  }

  #restore(pairs: readonly ItemPair[], isFreed: (item: number) => boolean): Promise<readonly RestoredItem[]> {
    const restore = () => restoreItems(this.#options, this.#account, pairs, isFreed);
    return this.#options.limiter.run(0, restore, (done) => (done.every(isPutBack) ? done.length * writeUnits : 0));
  }

  #report(id: number, result: ItemResult): void {
    if (result.result !== 'whole') this.#options.report({ of: 'item', account: this.#account, id, ...result });
  }

  async #read(table: Database, ids: readonly number[]): Promise<Map<number, StoredRecord>> {
    const wanted = ids.map((id) => keys.item(this.#account, id));
    const read = () => getRecords(operatorSession(table, this.#account), wanted);
    const used = (found: unknown) => Math.max(ids.length, readUnits(found));
    return itemsById(await this.#options.limiter.run(ids.length, read, used));
  }
}

const isPutBack = ({ result }: RestoredItem): boolean => result.result === 'put back';

/**
 * Groups items, so that each comes after those that have its identifiers. Items that have each other's come together.
 */
function byDependency(blocked: readonly BlockedItem[]): BlockedItem[][] {
  const left = new Map(blocked.map((one) => [one.id, one]));
  /** An item, and all those that must be put back before it or with it. */
  const needed = (item: BlockedItem): BlockedItem[] => {
    const all = new Set([item]);
    for (const { taken } of all)
      for (const other of taken.map(({ item: owner }) => left.get(owner ?? 0))) if (other !== undefined) all.add(other);
    return [...all];
  };
  const sizes = blocked.map((item) => ({ item, size: needed(item).length })).sort((a, b) => a.size - b.size);
  return sizes.flatMap(({ item }) => {
    if (!left.has(item.id)) return [];
    const together = needed(item);
    for (const { id } of together) left.delete(id);
    return [together];
  });
}

/** The items among records, by the ids in their keys, because their other attributes may be damaged. */
const itemsById = (records: readonly StoredRecord[]): Map<number, StoredRecord> =>
  new Map(
    records.flatMap((record) => {
      const key = parseKey(keyIn(record));
      return key?.kind === 'item' ? [[key.id, record]] : [];
    }),
  );

function* inBatches<One>(all: readonly One[]): Generator<One[]> {
  for (let start = 0; start < all.length; start += batchSize) yield all.slice(start, start + batchSize);
}
