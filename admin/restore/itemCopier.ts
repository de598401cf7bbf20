import type { Database } from '../../lib/store/database/database.ts';
import { getRecords } from '../../lib/store/database/reads.ts';
import type { StoredRecord } from '../../lib/store/database/record.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { keyIn, parseKey } from '../../lib/store/records/parseKey.ts';
import { type IdentifierNeeds, identifierOrder } from '../../portable/identifierOrder.ts';
import { parts } from '../../portable/lists.ts';
import { inParallel } from '../table/inParallel.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { type Pace, readUnits } from '../table/scanTable.ts';
import { type ItemPair, type RestoreOptions, withoutIdentifiers } from './compareItem.ts';
import type { CopyOutcome, ItemResult } from './copyOutcome.ts';
import { largestGroup, type RestoredItem, restoreItems } from './restoreItems.ts';

export interface CopyOptions extends RestoreOptions, Pace {
  /** Counts the records read from the restored table and the items that were compared, as it runs. */
  readonly progress: { records: number; items: number };
  /** Called for each outcome, except for intact items. */
  readonly report: (outcome: CopyOutcome) => void;
}

/** Items by their ids, each with the revision at which newer values are overwritten; undefined overwrites none. */
export type ItemRevisions = ReadonlyMap<number, number | undefined>;

/** Items, of unknown size, that one request reads, so that it arrives in time; and such requests at once. */
const batchSize = 5;
const batches = 5;
/** Approximate cost of putting an item back: a transaction of three small records, one of them also in the index. */
export const writeUnits = 8;

/**
 * Copies an account's items back, in batches. Items whose identifiers other items have are kept until
 * {@link ItemCopier.exchange}, because those may be put back later and free them.
 */
export class ItemCopier {
  readonly #options: CopyOptions;
  readonly #account: string;
  readonly #revisions: ItemRevisions | undefined;
  readonly #blocked = new Map<number, ItemPair>();
  /** By the ids of those items, the items that have their identifiers. */
  readonly #needs = new Map<number, number[]>();
  /** Items that free identifiers, because they were put back over other values or may be. */
  readonly #moving = new Set<number>();

  constructor(options: CopyOptions, account: string, revisions: ItemRevisions | undefined) {
    this.#options = options;
    this.#account = account;
    this.#revisions = revisions;
  }

  async copyNamed(ids: readonly number[]): Promise<void> {
    const { restored, progress } = this.#options;
    for (const batch of parts(ids, batchSize)) {
      const found = await this.#read(restored, batch);
      progress.records += found.size;
      for (const id of batch.filter((each) => !found.has(each))) this.#report(id, { result: 'no copy' });
      await this.copy([...found.values()]);
    }
  }

  /** @param records of the restored table. Those that are no items are ignored. */
  async copy(records: readonly StoredRecord[]): Promise<void> {
    await inParallel(batches, parts([...itemsById(records)], batchSize), async (batch) => {
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
      if (isBlocked) {
        const owners = result.taken.flatMap(({ item: owner }) => owner ?? []);
        this.#blocked.set(pair.id, pair);
        this.#needs.set(pair.id, owners);
      } else this.#report(pair.id, result);
      if (isBlocked || (result.result === 'put back' && result.loss !== 'missing')) this.#moving.add(pair.id);
    }
    this.#options.progress.items += 1;
  }

  /** Puts back items whose identifiers other items had that are put back as well, whatever the order. */
  async exchange(): Promise<void> {
    for (const group of identifierOrder(this.#needs))
      for (const { pair, result } of await this.#restoreGroup(group, this.#needs)) this.#report(pair.id, result);
  }

  async #restoreGroup(group: readonly number[], needs: IdentifierNeeds): Promise<readonly RestoredItem[]> {
    const isLarge = group.length > largestGroup;
    const pairs = group.flatMap((id) => this.#blocked.get(id) ?? []);
    // A large ring takes many writes, so it is only begun if none of them is known to fail.
    const done = await this.#restore(pairs, undefined, isLarge);
    if (done.every(isPutBack)) return isLarge && !this.#options.isDryRun ? this.#restoreRing(done, needs) : done;
    // So those that need their identifiers are not put back either.
    for (const id of group) this.#moving.delete(id);
    if (group.length === 1) return done;
    const alone: RestoredItem[] = [];
    for (const pair of pairs) alone.push(...(await this.#restore([pair])));
    return alone;
  }

  /**
   * Puts a ring back one by one, once an item of it has given up its identifiers.
   * @param planned what a dry run says, with all that is overwritten
   */
  async #restoreRing(planned: readonly RestoredItem[], needs: IdentifierNeeds): Promise<readonly RestoredItem[]> {
    const [first] = planned.map(({ pair }) => pair);
    if (first !== undefined) await this.#restore([withoutIdentifiers(first)]);
    const left = new Map(
      planned.map(({ pair: { id } }) => [id, (needs.get(id) ?? []).filter((owner) => owner !== first?.id)]),
    );
    const failed: RestoredItem[] = [];
    for (const group of identifierOrder(left))
      failed.push(...(await this.#restoreGroup(group, left)).filter((item) => !isPutBack(item)));
    return planned.map((item) => failed.find(({ pair }) => pair.id === item.pair.id) ?? item);
  }

  #restore(
    pairs: readonly ItemPair[],
    isFreed = (item: number) => this.#moving.has(item),
    isDryRun = false,
  ): Promise<readonly RestoredItem[]> {
    const options = { ...this.#options, isDryRun: isDryRun || this.#options.isDryRun };
    const restore = () => restoreItems(options, this.#account, pairs, isFreed);
    return options.limiter.run(0, restore, (done) => (done.every(isPutBack) ? done.length * writeUnits : 0));
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

/** The items among records, by the ids in their keys, because their other attributes may be damaged. */
const itemsById = (records: readonly StoredRecord[]): Map<number, StoredRecord> =>
  new Map(
    records.flatMap((record) => {
      const key = parseKey(keyIn(record));
      return key?.kind === 'item' ? [[key.id, record]] : [];
    }),
  );
