import { type CallerStorage, type Catalog, type Client, newKey } from '../http/catalogClient.ts';
import { ItemWrites, type KeptWrites, numbersIn, type PackedWrites, type Range, rangesOf } from '../storage/ranges.ts';
import { serviceOf } from '../storage/serviceOf.ts';
import { keyLifetime, storedEntries } from '../storage/storedEntries.ts';
import { isUndone } from '../undo/undoJournal.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { ImportRow, RowContent, RowOutcome } from './row.ts';
import type { RowFact } from './rows.ts';

/** An update that may have been written: the item, the revision at which it was seen, and 1 if it is reactivated. */
type Sending = readonly [place: number, id: number, revision: number, isReactivated?: 1];

/** What is known of rows by their places. */
interface StoredRows {
  /** The rows that create an item, and those that change nothing, when they were previewed. */
  readonly fresh: readonly Range[];
  readonly settled: readonly Range[];
  /** The rows that are written. */
  readonly done: readonly Range[];
  readonly underWay: readonly Sending[];
}

/** An import that is open, or one of the last that have ended, as the storage has it. */
interface StoredImport extends StoredRows {
  /** A random name, of which the keys of updates are made. */
  readonly run: string;
  /** The service that it is of. Versions up to 3b696f61 stored none. */
  readonly service?: string | undefined;
  /** When the keys of the first rows no longer protect them, in milliseconds since 1970. */
  readonly until: number;
  /** When it wrote, by the service's clock, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** What versions up to 3b696f61 wrote: items, and the revisions that they got, unless an answer was lost. */
  readonly items: readonly Range[];
  readonly writes?: KeptWrites | undefined;
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
const partOf = (place: number): number => Math.floor((place - 1) / rowsInPart);

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

/** What is known of the rows of a part, by this tab and by all others. */
class JournalPart {
  readonly fresh = new Set<number>();
  readonly settled = new Set<number>();
  readonly done = new Set<number>();
  readonly sending = new Map<number, Sending>();
  readonly writes = new ItemWrites();
  readonly #decided = new Set<number>();
  to = 0;

  add({ fresh, settled, done, underWay, packed: text, to }: Partial<StoredPart>): void {
    for (const place of numbersIn(fresh ?? [])) this.fresh.add(place);
    for (const place of numbersIn(settled ?? [])) this.settled.add(place);
    for (const place of numbersIn(done ?? [])) this.done.add(place);
    for (const row of underWay ?? [])
      if (!this.#decided.has(row[0]) && !this.done.has(row[0])) this.sending.set(row[0], row);
    this.writes.addPacked(text ?? {});
    this.to = Math.max(this.to, to ?? 0);
  }

  decide(place: number): void {
    this.#decided.add(place);
    this.sending.delete(place);
  }

  stored(until: number): StoredPart {
    return {
      until,
      to: this.to,
      fresh: rangesOf(this.fresh),
      settled: rangesOf(this.settled),
      done: rangesOf(this.done),
      underWay: [...this.sending.values()],
      packed: this.writes.packed,
    };
  }
}

/**
 * What an import has planned, is sending and has done, of all tabs with the same storage. It is written before anything is
 * sent, and replayed by the next visit. It goes on without a storage.
 */
export class ImportJournal {
  readonly #storage: CallerStorage | undefined;
  readonly #imports: ReturnType<typeof importsIn>;
  readonly #name: string;
  readonly #parts = new Map<number, JournalPart>();
  readonly #startedAt = performance.now();
  /** The service's clock when it was opened, in milliseconds since 1970. */
  readonly #now: number;
  readonly #ahead: number;
  /** As it was found or is stored. */
  #import: StoredImport;
  /** Whether it was begun before. */
  readonly isOpen: boolean;
  #isBegun = true;
  readonly #unsaved = new Set<number>();

  /** @param now by the service's clock, to the second */
  constructor(storage: CallerStorage | undefined, owner: JournalOwner, hash: string, now: number, file?: string) {
    this.#storage = storage;
    this.#imports = importsIn(storage);
    if (isOnlyService(this.#imports.all(), owner.service)) nameImports(storage, owner.service);
    const all = this.#imports.all();
    this.#name = nameIn(all, owner, hash);
    const found = all[this.#name];
    const none = { fresh: [], settled: [], done: [], underWay: [], items: [] };
    const until = Date.now() + keyLifetime;
    this.isOpen = found !== undefined;
    this.#import = found ?? { run: newKey(), service: owner.service, file, until, from: now, to: now, ...none };
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

  /** @param isRead reads again what other tabs have done */
  #part(index: number, isRead = false): JournalPart {
    const known = this.#parts.get(index);
    const part = known ?? new JournalPart();
    this.#parts.set(index, part);
    if (known === undefined) part.add(withinPart(this.#import, index));
    if (known === undefined || isRead) part.add(partsIn(this.#storage, index).read(this.#import.run) ?? {});
    return part;
  }

  #partOf = (place: number): JournalPart => this.#part(partOf(place));

  /** What is known of rows without another preview, since this import was begun. */
  replay(rows: readonly ImportRow[]): RowFact[] {
    return rows.flatMap((row): RowFact[] => {
      const known = this.#outcomeOf(row);
      return known === undefined ? [] : [[row, known]];
    });
  }

  /**
   * What a row may have written is found by its key: a new preview would make another update of it, over what others have
   * written since.
   */
  #outcomeOf({ place }: RowContent): RowOutcome | undefined {
    if (place === undefined) return undefined;
    const { done, sending, fresh, settled } = this.#partOf(place);
    if (done.has(place)) return { outcome: 'done' };
    const [, id, revision, isReactivated] = sending.get(place) ?? [];
    if (id !== undefined && revision !== undefined)
      return { outcome: 'sending', id, revision, isReactivated: isReactivated === 1 };
    if (fresh.has(place)) return { outcome: 'create' };
    return settled.has(place) ? { outcome: 'unchanged' } : undefined;
  }

  /** Begins, or resumes, with what was previewed. */
  begin(rows: readonly ImportRow[]): void {
    const places: number[] = [];
    for (const { place, outcome, newKey: other } of rows) {
      if (place === undefined) continue;
      places.push(place);
      if (outcome === 'create' && other === undefined) this.#partOf(place).fresh.add(place);
      if (outcome === 'unchanged' || outcome === 'duplicate') this.#partOf(place).settled.add(place);
    }
    // As it is now: another tab may have stored it meanwhile.
    this.#import = this.#imports.read(this.#name) ?? this.#import;
    this.#isBegun = false;
    this.#save(places);
  }

  /** @returns the rows that other tabs have written */
  doneElsewhere(rows: readonly ImportRow[]): RowFact[] {
    for (const index of new Set(rows.map(({ place = 1 }) => partOf(place)))) this.#part(index, true);
    return this.replay(rows).filter(([, { outcome }]) => outcome === 'done');
  }

  /** Stores the updates that are about to be sent. */
  sending(rows: readonly ImportRow[]): void {
    const updates = rows.flatMap((row): Sending[] => {
      if (row.place === undefined || row.id === undefined || row.revision === undefined) return [];
      const isReactivated = row.outcome === 'reactivate' || (row.outcome === 'sending' && row.isReactivated);
      return [isReactivated ? [row.place, row.id, row.revision, 1] : [row.place, row.id, row.revision]];
    });
    for (const row of updates) this.#partOf(row[0]).sending.set(row[0], row);
    this.#save(updates.map(([place]) => place));
  }

  /** Stores what was decided. What may be written stays under way. */
  decided(decisions: readonly Decision[]): void {
    for (const { place, isWritten, isOpen, id, revision } of decisions) {
      const part = this.#partOf(place);
      if (!isOpen) part.decide(place);
      if (isWritten) part.done.add(place);
      if (isWritten && id !== undefined) part.writes.add(id, revision);
    }
    this.#save(decisions.map(({ place }) => place));
  }

  /** Stores the parts of some rows, and those that the storage has refused before. */
  #save(places: readonly number[]): void {
    if (!this.#isBegun) this.#isBegun = this.#imports.write(this.#name, this.#import);
    for (const index of new Set([...this.#unsaved, ...places.map(partOf)])) {
      const part = this.#part(index, true);
      // Our clock may be set back meanwhile, and the other one may stop while the machine sleeps.
      const elapsed = this.#now + performance.now() - this.#startedAt;
      part.to = Math.ceil(Math.max(Date.now() + this.#ahead, elapsed));
      const isSaved = partsIn(this.#storage, index).write(this.#import.run, part.stored(this.until));
      if (isSaved) this.#unsaved.delete(index);
      else this.#unsaved.add(index);
    }
  }

  /** Keeps what an undo needs, and gives up what is open. */
  end(): void {
    const { run, until, from, service, file, to: first } = this.#import;
    for (const index of partIndexes(this.#storage)) this.#part(index, true);
    const writes = new ItemWrites();
    let to = first;
    for (const part of this.#parts.values()) {
      writes.addPacked(part.writes.packed);
      to = Math.max(to, part.to);
    }
    addWritesOf(this.#import, writes);
    const none = { fresh: [], settled: [], done: [], underWay: [], items: [] };
    const ended = { run, service, file, until, from, to, ...none, packed: writes.packed, isOver: true };
    if (!writes.isEmpty) this.#imports.write(`${this.#name} ${run}`, ended);
    // Only now: whoever is killed between them resumes, and loses nothing.
    this.#imports.write(this.#name, undefined);
    for (const index of this.#parts.keys()) partsIn(this.#storage, index).write(run, undefined);
    let size = 0;
    const all = byNewest(this.#imports.all()).filter(([, { isOver }]) => isOver === true);
    for (const [place, [name, entry]] of all.entries()) {
      size += JSON.stringify(entry).length;
      if (place >= maxEnded || (place > 0 && size > maxEndedText)) this.#imports.write(name, undefined);
    }
  }
}

/** What became of a row that was sent. */
export interface Decision {
  readonly place: number;
  readonly isWritten: boolean;
  /** True if it may have been written, although it was refused. */
  readonly isOpen: boolean;
  readonly id: number | undefined;
  /** Undefined if an earlier attempt has written it. */
  readonly revision: number | undefined;
}

/** What an older version has stored of the rows of a part. */
function withinPart({ fresh, settled, done, underWay }: StoredImport, index: number): StoredRows {
  const [first, last] = [index * rowsInPart + 1, (index + 1) * rowsInPart];
  const within = (ranges: readonly Range[]) =>
    ranges.map(([from, to]): Range => [Math.max(from, first), Math.min(to, last)]).filter(([from, to]) => from <= to);
  return {
    fresh: within(fresh ?? []),
    settled: within(settled ?? []),
    done: within(done ?? []),
    underWay: (underWay ?? []).filter(([place]) => place >= first && place <= last),
  };
}

function addWritesOf({ items, writes, packed: text }: StoredImport, to: ItemWrites): void {
  to.addPacked(text ?? {});
  to.addKept(writes);
  for (const item of numbersIn(items ?? [])) to.add(item);
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

/**
 * What the last imports of the user have written, newest first, for `preview` and `undo`: five that have ended in the last
 * week, and those that are open, but none that was undone.
 * @param hash only imports of these rows: the `hash` of a preview
 * @example const [last] = lastImports(client, catalog, localStorage); // preview(client, last)
 */
export function lastImports(
  client: Pick<Client, 'service'>,
  { account, user }: Pick<Catalog, 'account' | 'user'>,
  storage: CallerStorage | undefined,
  hash = '[0-9a-f]{64}',
): LastImport[] {
  const service = serviceOf(client);
  const all = importsIn(storage).all();
  const isNamed = new RegExp(`^(.*) ${hash}(?: \\S+){0,2}$`);
  const isOnly = isOnlyService(all, service);
  return byNewest(all).flatMap(([name, entry]) => {
    const isOwn = isNamed.exec(name)?.[1] === `${account} ${user}`;
    const isOfService = entry.service === service || (entry.service === undefined && isOnly);
    if (!isOwn || !isOfService || entry.from === undefined) return [];
    const writes = new ItemWrites();
    addWritesOf(entry, writes);
    let { to } = entry;
    for (const part of entry.isOver === true ? [] : partsOf(storage, entry.run)) {
      writes.addPacked(part.packed);
      to = Math.max(to, part.to);
    }
    if (writes.isEmpty) return [];
    const isOfRevisions = entry.service !== undefined || entry.writes !== undefined;
    const kept = isOfRevisions ? writes.kept : undefined;
    const target = { users: [user], from: new Date(entry.from), to: new Date(to), items: writes.items, writes: kept };
    return isUndone(storage, { account, user }, target) ? [] : [{ ...target, file: entry.file }];
  });
}

const partsOf = (storage: CallerStorage | undefined, run: string): StoredPart[] =>
  [...partIndexes(storage)].flatMap((index) => partsIn(storage, index).read(run) ?? []);

/**
 * Call it at sign-out: nobody else may see what the user has imported.
 * @example forgetImports(localStorage);
 */
export function forgetImports(storage: CallerStorage): void {
  const imports = importsIn(storage);
  for (const name of Object.keys(imports.all())) imports.write(name, undefined);
  for (const index of [...partIndexes(storage)]) {
    const parts = partsIn(storage, index);
    for (const name of Object.keys(parts.all())) parts.write(name, undefined);
  }
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
