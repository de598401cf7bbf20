import type { Database } from '../../store/database/database.ts';
import { getRecords } from '../../store/database/reads.ts';
import type { StoredRecord } from '../../store/database/record.ts';
import { keys } from '../../store/records/keys.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { operatorSession } from '../operatorSession.ts';
import type { RateLimiter } from '../rateLimiter.ts';
import { sizeOf } from '../scanTable.ts';
import type { BlockedItem, CopyOutcome, ItemResult } from './copyOutcome.ts';
import { exchangeIdentifiers, inOrder } from './exchangeIdentifiers.ts';
import type { ItemPair, RestoreOptions } from './restoreItem.ts';
import { restoreItem } from './restoreItem.ts';

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

/** Maximum number of items that are read or written at once, and their bytes, so that a message arrives in time. */
export const batchSize = 25;
const batchBytes = 256 * 1_024;
/** Maximum number of items of unknown size that are read at once. */
const smallBatch = 5;
/** Approximate cost of putting an item back: a transaction of three small records, one of them also in the index. */
export const writeUnits = 8;

/** Copies items back, in batches. Items that have each other's identifiers are left for {@link ItemCopier.exchange}. */
export class ItemCopier {
  readonly #options: CopyOptions;
  readonly #revisions: ItemRevisions | undefined;
  /** Items whose identifiers other items had. Those may be put back later, and free them. */
  readonly #blocked: BlockedItem[] = [];
  /** Items that were put back over other values, which may have freed identifiers: account and id. */
  readonly #moved = new Set<string>();

  constructor(options: CopyOptions, revisions: ItemRevisions | undefined) {
    this.#options = options;
    this.#revisions = revisions;
  }

  /** Copies items by their ids. */
  async copyNamed(account: string, ids: readonly number[]): Promise<void> {
    const { restored, progress, report } = this.#options;
    for (const batch of inSmallBatches(ids)) {
      const found = await this.#read(restored, account, batch);
      progress.records += found.size;
      for (const id of batch.filter((one) => !found.has(one))) report({ of: 'item', account, id, result: 'no copy' });
      await this.copy(account, found);
    }
  }

  /** @param copies the items' records in the restored table, by their ids */
  async copy(account: string, copies: ReadonlyMap<number, StoredRecord>): Promise<void> {
    for (const batch of inBatches(copies))
      await Promise.all((await this.#pairs(account, batch)).map((pair) => this.#copyItem(pair)));
  }

  async #copyItem(pair: ItemPair): Promise<void> {
    const result = await this.#restore(pair);
    this.#options.progress.items += 1;
    if (result.result === 'put back' && result.loss !== 'missing') this.#moved.add(nameOf(pair.account, pair.id));
    if (result.result === 'identifier taken')
      this.#blocked.push({ of: 'item', account: pair.account, id: pair.id, ...result });
    else this.#report(pair, result);
  }

  #restore(pair: ItemPair, isFreed?: (item: number) => boolean): Promise<ItemResult> {
    const restore = () => restoreItem(this.#options, pair, isFreed);
    return this.#options.limiter.run(0, restore, ({ result }) => (result === 'put back' ? writeUnits : 0));
  }

  #report({ account, id }: Pick<ItemPair, 'account' | 'id'>, result: ItemResult): void {
    if (result.result !== 'whole') this.#options.report({ of: 'item', account, id, ...result });
  }

  /** Puts back items whose identifiers other items had that are put back as well, whatever the order. */
  async exchange(): Promise<void> {
    for (const [account, blocked] of Map.groupBy(this.#blocked, (one) => one.account)) {
      const left = new Map(blocked.map((one) => [one.id, one]));
      const isFreed = (item: number | null) =>
        item !== null && (left.has(item) || this.#moved.has(nameOf(account, item)));
      for (const group of inOrder(blocked))
        if (group.every(({ taken }) => taken.every(({ item }) => isFreed(item))))
          await this.#exchange(
            account,
            group.map(({ id }) => id),
            isFreed,
          );
        else
          for (const one of group) {
            // So those that need its identifiers are not put back either.
            left.delete(one.id);
            this.#options.report(one);
          }
    }
  }

  /** Puts back items that have each other's identifiers, or a single one whose identifiers are free by now. */
  async #exchange(account: string, ids: readonly number[], isFreed: (item: number) => boolean): Promise<void> {
    const { limiter, isDryRun, restored } = this.#options;
    const pairs: ItemPair[] = [];
    for (const batch of inSmallBatches(ids))
      pairs.push(...(await this.#pairs(account, [...(await this.#read(restored, account, batch))])));
    const units = ids.length * writeUnits;
    const done =
      ids.length > 1 && !isDryRun
        ? await limiter.run(
            units,
            () => exchangeIdentifiers(this.#options, account, pairs),
            () => units,
          )
        : undefined;
    for (const [index, pair] of pairs.entries())
      this.#report(pair, done?.[index] ?? (await this.#restore(pair, isFreed)));
  }

  /** Items of the restored table, with their records in the table in use. */
  async #pairs(account: string, copies: readonly (readonly [number, StoredRecord])[]): Promise<ItemPair[]> {
    const ids = copies.map(([id]) => id);
    const present = await this.#read(this.#options.live, account, ids);
    return copies.map(([id, copy]) => {
      const overwrites = this.#revisions !== undefined && { revision: this.#revisions.get(id) };
      return { account, id, copy, seen: present.get(id), overwrites };
    });
  }

  async #read(table: Database, account: string, ids: readonly number[]): Promise<Map<number, StoredRecord>> {
    const wanted = ids.map((id) => keys.item(account, id));
    const read = () => getRecords(operatorSession(table, account), wanted);
    const used = (found: unknown) => Math.max(ids.length, sizeOf(found) / 4_096);
    return itemsById(await this.#options.limiter.run(ids.length, read, used));
  }
}

/** The items among records, by the ids in their keys, because their other attributes may be damaged. */
export const itemsById = (records: readonly StoredRecord[]): Map<number, StoredRecord> =>
  new Map(
    records.flatMap((record) => {
      const key = parseKey(keyIn(record));
      return key?.kind === 'item' ? [[key.id, record]] : [];
    }),
  );

const nameOf = (account: string, id: number): string => `${account}#${id}`;

const inSmallBatches = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / smallBatch) }, (_, index) =>
    ids.slice(index * smallBatch, (index + 1) * smallBatch),
  );

function inBatches(copies: ReadonlyMap<number, StoredRecord>): [number, StoredRecord][][] {
  const batches: [number, StoredRecord][][] = [];
  let bytes = 0;
  for (const copy of copies) {
    const size = sizeOf(copy);
    bytes += size;
    if (batches.length === 0 || batches.at(-1)?.length === batchSize || bytes > batchBytes) {
      batches.push([]);
      bytes = size;
    }
    batches.at(-1)?.push(copy);
  }
  return batches;
}
