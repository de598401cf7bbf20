import { groupBy } from '../../lib/item/lists.ts';
import { type CallerStorage, type Catalog, type Client, newKey } from '../http/catalogClient.ts';
import {
  ItemWrites,
  type KeptWrites,
  numbersIn,
  type PackedWrites,
  packWrites,
  type Range,
  rangesOf,
  unpackWrites,
} from '../storage/ranges.ts';
import { serviceOf } from '../storage/serviceOf.ts';
import { keyLifetime, removeAll, storedEntries } from '../storage/storedEntries.ts';
import { isUndone } from '../undo/undoJournal.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { ImportRow, RowContent, RowOutcome } from './row.ts';
import type { ImportRows, RowFact } from './rows.ts';

/** An update that may have been written: the item, the revision at which it was seen, and 1 if it is reactivated. */
type Sending = readonly [place: number, id: number, revision: number, isReactivated?: number];

/** What is known of rows by their places. */
interface StoredRows {
  /** The rows that create an item, and those that change nothing, when they were previewed. */
  readonly fresh: readonly Range[];
  readonly settled: readonly Range[];
  /** The rows that are written. */
  readonly done: readonly Range[];
  readonly underWay: readonly Sending[];
}

/** What versions up to 3b696f61 stored of all rows, and of the items that were written. */
interface StoredTogether extends StoredRows {
  readonly items: readonly Range[];
  /** The items by the revisions that they got, unless an answer was lost. */
  readonly writes?: KeptWrites | undefined;
}

/** An import that is open, or one of the last that have ended, as the storage has it. */
interface StoredImport extends Partial<StoredTogether> {
  /** A random name, of which the keys of updates are made. */
  readonly run: string;
  /** The service that it is of. Versions up to 3b696f61 stored none. */
  readonly service?: string | undefined;
  /** When the keys of the first rows no longer protect them, in milliseconds since 1970. */
  readonly until: number;
  /** When it wrote, by the service's clock, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** What an import that has ended wrote. */
  readonly packed?: PackedWrites;
  readonly isOver?: boolean;
  /** The name of the file that the rows are of, if there is one. */
  readonly file?: string | undefined;
}

/** What was done with the rows of one part, of an import that is open. */
interface StoredPart extends StoredRows {
  readonly until: number;
  readonly to: number;
  readonly packed: PackedWrites;
}

/** Older tabs read and write here what is open; parts are beside it, so that a batch does not write all of it anew. */
const slot = 'catalog.imports';
const rowsInPart = 500;
const partOf = ({ place = 1 }: RowContent): number => Math.floor((place - 1) / rowsInPart);

/** For how long it is known that an import has expired, or what it has written, in milliseconds. */
const lifetime = 7 * 24 * 3_600_000;

/** How many imports are kept that have ended, and how many characters of them. */
const maxEnded = 5;
const maxEndedText = 1_500_000;

export interface JournalOwner extends Pick<Catalog, 'account' | 'user'> {
  readonly service: string;
}

const isOld = ({ until }: { readonly until: number }) => until < Date.now() - lifetime;
const importsIn = (storage: CallerStorage | undefined) => storedEntries<StoredImport>(storage, slot, isOld);
const partsIn = (storage: CallerStorage | undefined, part: number) =>
  storedEntries<StoredPart>(storage, `${slot}.${part}`, isOld);

/** Of two services in one storage, with the same user and rows, the second has its name as well. */
function nameIn(all: Readonly<Record<string, StoredImport>>, owner: JournalOwner, hash: string): string {
  const name = `${owner.account} ${owner.user} ${hash}`;
  const own = `${name} ${owner.service}`;
  const { [name]: first } = all;
  const isOthers = first !== undefined && first.service !== owner.service;
  return isOthers || all[own] !== undefined ? own : name;
}

/** Whether no other service was used with a storage, as far as is known: what older versions have stored is of it. */
const isOnlyService = (all: Readonly<Record<string, StoredImport>>, service: string): boolean =>
  Object.values(all).every((entry) => entry.service === undefined || entry.service === service);

/**
 * What an import has planned, is sending and has done, of all tabs with the same storage. It is written before anything is
 * sent, and replayed by the next visit. It goes on without a storage.
 */
export class ImportJournal {
  readonly #storage: CallerStorage | undefined;
  readonly #imports: ReturnType<typeof importsIn>;
  readonly #name: string;
  readonly #startedAt = performance.now();
  /** The service's clock when it was opened, in milliseconds since 1970. */
  readonly #now: number;
  readonly #ahead: number;
  /** As it was found or is stored. */
  #import: StoredImport;
  /** Whether it was begun before. */
  readonly isOpen: boolean;
  #isBegun = true;
  /** The rows of each part, as they are known by now. */
  #rowsIn: (part: number) => readonly ImportRow[] = () => [];
  readonly #unsaved = new Set<number>();

  /** @param now by the service's clock, to the second */
  constructor(storage: CallerStorage | undefined, owner: JournalOwner, hash: string, now: number, file?: string) {
    this.#storage = storage;
    this.#imports = importsIn(storage);
    if (isOnlyService(this.#imports.all(), owner.service)) nameImports(storage, owner.service);
    const all = this.#imports.all();
    this.#name = nameIn(all, owner, hash);
    const found = all[this.#name];
    this.isOpen = found !== undefined;
    const { service } = owner;
    const until = Date.now() + keyLifetime;
    this.#import = found ?? { run: newKey(), service, file, until, from: now, to: now };
    this.#now = now + 1_000;
    this.#ahead = this.#now - Date.now();
  }

  /** When none of its rows is protected by its key any more. */
  get until(): number {
    return this.#import.until;
  }

  /** Whether the storage has all of it. */
  get isSaved(): boolean {
    return this.#isBegun && this.#unsaved.size === 0;
  }

  keyOf = (place: number): string => `${this.#import.run}.${place}`;

  /**
   * What is known of rows without another preview, since this import was begun. What a row may have written is found by its
   * key: a new preview would make another update of it, over what others have written since.
   */
  replay(rows: readonly ImportRow[]): RowFact[] {
    return [...groupBy(rows, partOf)].flatMap(([part, some]) => {
      const outcomes = outcomesIn(this.#stored(part));
      return some.flatMap((row): RowFact[] => {
        const known = outcomes.get(row.place ?? 0);
        return known === undefined ? [] : [[row, known]];
      });
    });
  }

  /** Begins, or resumes, with what was previewed. */
  begin(rows: ImportRows): void {
    const parts = groupBy(rows.sendable, partOf);
    this.#rowsIn = (part) => (parts.get(part) ?? []).flatMap(({ line }) => rows.get(line) ?? []);
    // As it is now: another tab may have stored it meanwhile.
    this.#import = this.#imports.read(this.#name) ?? this.#import;
    this.#isBegun = false;
    this.save(rows.sendable);
  }

  /** Stores what is known of rows, and what the storage has refused before. */
  save(rows: readonly RowContent[]): void {
    if (!this.#isBegun) this.#isBegun = this.#imports.write(this.#name, this.#import);
    for (const part of new Set([...this.#unsaved, ...rows.map(partOf)])) {
      const isSaved = partsIn(this.#storage, part).write(this.#import.run, this.#known(part));
      if (isSaved) this.#unsaved.delete(part);
      else this.#unsaved.add(part);
    }
  }

  /** What is stored of a part by now, also by other tabs. */
  #stored(part: number): Partial<StoredPart> {
    return partsIn(this.#storage, part).read(this.#import.run) ?? withinPart(this.#import, part);
  }

  /** What is known of a part, by this tab and by all others. */
  #known(part: number): StoredPart {
    const stored = this.#stored(part);
    const others = outcomesIn(stored);
    const writes = new ItemWrites();
    writes.addKept(unpackWrites(stored.packed));
    const places = { create: new Set<number>(), unchanged: new Set<number>(), done: new Set<number>() };
    const underWay: Sending[] = [];
    for (const row of this.#rowsIn(part)) {
      const { place = 0 } = row;
      const known = latest(row, others.get(place));
      if (known.outcome === 'create' && known.newKey === undefined) places.create.add(place);
      if (known.outcome === 'unchanged' || known.outcome === 'duplicate') places.unchanged.add(place);
      if (known.outcome === 'done') places.done.add(place);
      if (known.outcome === 'done' && known.id !== undefined) writes.add(known.id, known.revision);
      const sent = known.outcome === 'rejected' ? known.unconfirmed : known.outcome === 'sending' && known;
      if (sent) underWay.push([place, sent.id, sent.revision, Number(sent.isReactivated)]);
    }
    // Our clock may be set back meanwhile, and the other one may stop while the machine sleeps.
    const elapsed = this.#now + performance.now() - this.#startedAt;
    return {
      until: this.until,
      to: Math.ceil(Math.max(Date.now() + this.#ahead, elapsed)),
      fresh: rangesOf(places.create),
      settled: rangesOf(places.unchanged),
      done: rangesOf(places.done),
      underWay,
      packed: packWrites(writes.all),
    };
  }

  /** Keeps what an undo needs, and gives up what is open. */
  end(): void {
    const { run, until, from, service, file } = this.#import;
    const { writes, to } = writtenBy(this.#storage, this.#import);
    const ended = { run, service, file, until, from, to, packed: packWrites(writes.all), isOver: true };
    if (!writes.isEmpty) this.#imports.write(`${this.#name} ${run}`, ended);
    let size = 0;
    const all = byNewest(this.#imports.all()).filter(([, { isOver }]) => isOver === true);
    for (const [place, [name, entry]] of all.entries()) {
      size += JSON.stringify(entry).length;
      if (place >= maxEnded || (place > 0 && size > maxEndedText)) this.#imports.write(name, undefined);
    }
    // Only now: whoever is killed before the last of these resumes, and finds all rows done that are.
    const parts = [...partIndexes(this.#storage)];
    this.#imports.write(this.#name, { ...this.#import, done: parts.flatMap((part) => this.#known(part).done) });
    for (const part of parts) partsIn(this.#storage, part).write(run, undefined);
    this.#imports.write(this.#name, undefined);
  }
}

/** What is stored of rows as outcomes, by their places. */
function outcomesIn(stored: Partial<StoredRows>): ReadonlyMap<number, RowOutcome> {
  const outcomes = new Map<number, RowOutcome>();
  for (const place of numbersIn(stored.settled)) outcomes.set(place, { outcome: 'unchanged' });
  for (const place of numbersIn(stored.fresh)) outcomes.set(place, { outcome: 'create' });
  for (const [place, id, revision, isReactivated] of stored.underWay ?? [])
    outcomes.set(place, { outcome: 'sending', id, revision, isReactivated: isReactivated === 1 });
  for (const place of numbersIn(stored.done)) outcomes.set(place, { outcome: 'done' });
  return outcomes;
}

/** What counts of a row: what this tab knows, unless another one has written it, or may have. */
function latest(row: ImportRow, stored: RowOutcome | undefined): RowOutcome {
  const isPlanned = row.outcome === 'update' || row.outcome === 'reactivate';
  const isStored =
    (stored?.outcome === 'done' && row.outcome !== 'done') ||
    (stored?.outcome === 'sending' && isPlanned) ||
    // It is sent again when the import is resumed.
    (stored?.outcome === 'create' && row.outcome === 'rejected');
  return stored !== undefined && isStored ? stored : row;
}

/** What an older version has stored of the rows of a part. */
function withinPart({ fresh, settled, done, underWay = [] }: StoredImport, part: number): StoredRows {
  const [first, last] = [part * rowsInPart + 1, (part + 1) * rowsInPart];
  const within = (ranges: readonly Range[] = []) =>
    ranges.map(([from, to]): Range => [Math.max(from, first), Math.min(to, last)]).filter(([from, to]) => from <= to);
  return {
    fresh: within(fresh),
    settled: within(settled),
    done: within(done),
    underWay: underWay.filter(([place]) => place >= first && place <= last),
  };
}

/** What an import has written, and until when. */
function writtenBy(storage: CallerStorage | undefined, { run, to, isOver, packed, writes, items }: StoredImport) {
  const written = new ItemWrites();
  written.addKept(unpackWrites(packed));
  written.addKept(writes);
  for (const item of numbersIn(items)) written.add(item);
  let end = to;
  for (const index of isOver === true ? [] : partIndexes(storage)) {
    const part = partsIn(storage, index).read(run);
    written.addKept(unpackWrites(part?.packed));
    end = Math.max(end, part?.to ?? 0);
  }
  return { writes: written, to: end };
}

/** The parts that a storage has, which begin at 0. */
function* partIndexes(storage: CallerStorage | undefined): Generator<number, void> {
  const isPart = ({ until }: StoredPart) => until !== undefined;
  for (let index = 0; Object.values(partsIn(storage, index).all()).some(isPart); index += 1) yield index;
}

export interface LastImport extends UndoTarget {
  /** The name of the file that was imported, if it had one. */
  readonly file: string | undefined;
}

/** What the imports were given. */
interface LastImportsOptions {
  readonly storage: CallerStorage | undefined;
  /** Only imports of these rows: the `hash` of a preview. */
  readonly hash?: string | undefined;
}

/**
 * What the last imports of the user have written, newest first, for `preview` and `undo`: five that have ended in the last
 * week, and those that are open, but none that was undone.
 * @example const [last] = lastImports(client, catalog, { storage: localStorage }); // preview(client, last)
 */
export function lastImports(
  client: Pick<Client, 'service'>,
  { account, user }: Pick<Catalog, 'account' | 'user'>,
  { storage, hash = '[0-9a-f]{64}' }: LastImportsOptions,
): LastImport[] {
  const service = serviceOf(client);
  const all = importsIn(storage).all();
  const isNamed = new RegExp(`^(.*) ${hash}(?: \\S+){0,2}$`);
  const isOnly = isOnlyService(all, service);
  return byNewest(all).flatMap(([name, entry]) => {
    const isOwn = isNamed.exec(name)?.[1] === `${account} ${user}`;
    const isOfService = entry.service === service || (entry.service === undefined && isOnly);
    if (!isOwn || !isOfService || entry.from === undefined) return [];
    const { writes, to } = writtenBy(storage, entry);
    if (writes.isEmpty) return [];
    const isOfRevisions = entry.service !== undefined || entry.writes !== undefined;
    const kept = isOfRevisions ? writes.kept : undefined;
    const target = { users: [user], from: new Date(entry.from), to: new Date(to), items: writes.items, writes: kept };
    return isUndone(storage, { account, user }, target) ? [] : [{ ...target, file: entry.file }];
  });
}

/**
 * Call it at sign-out: nobody else may see what the user has imported.
 * @example forgetImports(localStorage);
 */
export function forgetImports(storage: CallerStorage): void {
  removeAll(importsIn(storage));
  for (const part of [...partIndexes(storage)]) removeAll(partsIn(storage, part));
}

/** Whether the storage has imports that do not name their service, because 3b696f61 or an older version has stored them. */
export const hasUnnamedImports = (storage: CallerStorage): boolean =>
  Object.values(importsIn(storage).all()).some(({ service }) => service === undefined);

/** Names the service of the imports that name none. */
export function nameImports(storage: CallerStorage | undefined, service: string): void {
  const imports = importsIn(storage);
  for (const [name, entry] of Object.entries(imports.all()))
    if (entry.service === undefined) imports.write(name, { ...entry, service });
}

const byNewest = (entries: Readonly<Record<string, StoredImport>>) =>
  Object.entries(entries)
    .reverse() // those of one second are in the order of their ends
    .sort(([, { from: first = 0 }], [, { from: second = 0 }]) => second - first);
