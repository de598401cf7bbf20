import { groupBy } from '../../lib/item/lists.ts';
import type { CallerStorage, Catalog, Client } from '../http/catalogClient.ts';
import { loadCatalog, newKey, requestOptions } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import type { KeptWrites, PackedWrites, Range } from '../storage/ranges.ts';
import { ItemWrites, numbersIn, packWrites, rangesOf, unpackWrites } from '../storage/ranges.ts';
import { keyLifetime, removeAll, serviceOf, storedEntries } from '../storage/storedEntries.ts';
import { isUndone } from '../undo/undoJournal.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { ImportRow, RowContent, RowOutcome } from './row.ts';
import type { ImportRows, RowFact } from './rows.ts';

/** An update that may have been written: the item, the revision at which it was seen, and 1 if it is reactivated. */
type Sending = readonly [place: number, id: number, revision: number, isReactivated?: number];

/** The known outcomes of rows, by their places. */
interface StoredRows {
  /** The rows that create an item, and those that change nothing, when they were previewed. */
  readonly fresh: readonly Range[];
  readonly settled: readonly Range[];
  /** The rows that are written. */
  readonly done: readonly Range[];
  readonly underWay: readonly Sending[];
}

/**
 * An import that is open, or one of the last that have ended, as the storage has it. Versions up to 3b696f61 stored in it
 * what is known of all rows.
 */
interface StoredImport extends Partial<StoredRows> {
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
  /** The items that versions up to 3b696f61 wrote, and by the revisions that these got, unless an answer was lost. */
  readonly items?: readonly Range[];
  readonly writes?: KeptWrites | undefined;
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
const placeOf = ({ place = 1 }: RowContent): number => place;
const partOf = (row: RowContent): number => Math.floor((placeOf(row) - 1) / rowsInPart);

/** For how long it is known that an import has expired, or what it has written, in milliseconds. */
const lifetime = 7 * 24 * 3_600_000;

/** How many imports are kept that have ended, and how many characters of them. */
const maxEnded = 5;
const maxEndedText = 1_500_000;

const isOld = ({ until }: { readonly until: number }) => until < Date.now() - lifetime;
const importsIn = (storage: CallerStorage | undefined) => storedEntries<StoredImport>(storage, slot, isOld);
const partsIn = (storage: CallerStorage | undefined, part: number) =>
  storedEntries<StoredPart>(storage, `${slot}.${part}`, isOld);

/** Of two services in one storage, with the same user and rows, the second has its name as well. */
function nameIn(all: Readonly<Record<string, StoredImport>>, name: string, service: string): string {
  const own = `${name} ${service}`;
  const isOthers = all[name] !== undefined && all[name].service !== service;
  return isOthers || all[own] !== undefined ? own : name;
}

/** Whether no other service was used with a storage, as far as is known: what older versions have stored is of it. */
const isOnlyService = (all: Readonly<Record<string, StoredImport>>, service: string): boolean =>
  Object.values(all).every((entry) => entry.service === undefined || entry.service === service);

/** The service's clock from now on: ours may be set back, and the other one may stop while the machine sleeps. */
function clockFrom(now: number): () => number {
  const ahead = now - Date.now();
  const startedAt = performance.now();
  return () => Math.ceil(Math.max(Date.now() + ahead, now + performance.now() - startedAt));
}

interface JournalOptions extends PollOptions {
  readonly storage?: CallerStorage | undefined;
  readonly file?: string | undefined;
}

/**
 * Opens the journal of rows, for the user of the client.
 * @param hash stands for the rows
 * @returns undefined once the signal is aborted
 */
export function openJournal(
  client: Client,
  hash: string,
  { storage, file, ...options }: JournalOptions,
): Promise<ImportJournal | undefined> {
  const open = async () => {
    const { account, user } = await loadCatalog(client, options);
    // Without the changes there is no undo, but an import.
    const { data: changes } = await client.GET('/api/v1/api/v1/changes', requestOptions(options));
    const from = changes === undefined ? Date.now() : Date.parse(changes.read_at);
    const begun = { service: serviceOf(client), file, from };
    return new ImportJournal(storage, `${account} ${user} ${hash}`, begun);
  };
  return retryUntilDone(open, { ...options, inBackground: true });
}

/**
 * What an import has planned, is sending and has done, of all tabs with the same storage. It is written before anything is
 * sent, and replayed by the next visit. It goes on without a storage.
 */
export class ImportJournal {
  readonly #storage: CallerStorage | undefined;
  readonly #imports: ReturnType<typeof importsIn>;
  readonly #name: string;
  readonly #clock: () => number;
  /** As it was found or is stored. */
  #import: StoredImport;
  /** Whether it was begun before. */
  readonly isOpen: boolean;
  /** When none of its rows is protected by its key any more, by our clock. */
  readonly until: number;
  #isBegun = false;
  /** The rows of each part, as they are known by now. */
  #rowsIn: (part: number) => readonly ImportRow[] = () => [];
  readonly #unsaved = new Set<number>();

  /** @param begun with the time by the service's clock, which is told to the second */
  constructor(
    storage: CallerStorage | undefined,
    name: string,
    begun: Pick<StoredImport, 'file' | 'from'> & { readonly service: string },
  ) {
    const { service, from } = begun;
    this.#storage = storage;
    this.#imports = importsIn(storage);
    if (isOnlyService(this.#imports.all(), service)) nameImports(storage, service);
    const all = this.#imports.all();
    this.#name = nameIn(all, name, service);
    const found = all[this.#name];
    this.isOpen = found !== undefined;
    this.#import = found ?? { ...begun, run: newKey(), until: Date.now() + keyLifetime, to: from };
    const { until, from: beganAt = from } = this.#import;
    // Our clock may have been ahead when it was begun.
    this.until = Math.min(until, Date.now() + keyLifetime - (from - beganAt));
    this.#clock = clockFrom(from + 1_000);
  }

  /** Whether the storage has all of it. */
  get isSaved(): boolean {
    return this.#isBegun && this.#unsaved.size === 0;
  }

  keyOf = (place: number): string => `${this.#import.run}.${place}`;

  /**
   * Returns the outcomes of rows since this import was begun, without another preview. A possible write of a row is found
   * by its key: a new preview would make another update of it, over what others have written since.
   */
  replay(rows: readonly ImportRow[]): RowFact[] {
    return [...groupBy(rows, partOf)].flatMap(([part, some]) => {
      const outcomes = outcomesIn(this.#stored(part));
      return some.flatMap((row): RowFact[] => {
        const known = outcomes.get(placeOf(row));
        return known === undefined ? [] : [[row, known]];
      });
    });
  }

  /** Begins, or resumes, with what was previewed. */
  begin(rows: ImportRows): void {
    const parts = groupBy(rows.sendable, partOf);
    this.#rowsIn = (part) => rows.current(parts.get(part) ?? []);
    // As it is now: another tab may have stored it meanwhile.
    this.#import = this.#imports.read(this.#name) ?? this.#import;
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

  /** The part as it is stored by now, also by other tabs. */
  #stored(part: number): Partial<StoredRows> & Pick<StoredImport, 'packed'> {
    return partsIn(this.#storage, part).read(this.#import.run) ?? this.#import;
  }

  /** The part as this tab and all others know it. */
  #known(part: number): StoredPart {
    const stored = this.#stored(part);
    const others = outcomesIn(stored);
    const writes = new ItemWrites();
    writes.addKept(unpackWrites(stored.packed));
    const known = this.#rowsIn(part).map((row) => [placeOf(row), latest(row, others.get(placeOf(row)))] as const);
    for (const [, { outcome, id, revision }] of known)
      if (outcome === 'done' && id !== undefined) writes.add(id, revision);
    const rangesWith = (isMeant: (row: RowOutcome) => boolean) =>
      rangesOf(known.flatMap(([place, row]) => (isMeant(row) ? place : [])));
    return {
      until: this.until,
      to: this.#clock(),
      fresh: rangesWith(({ outcome, newKey }) => outcome === 'create' && newKey === undefined),
      settled: rangesWith(({ outcome }) => outcome === 'unchanged' || outcome === 'duplicate'),
      done: rangesWith(({ outcome }) => outcome === 'done'),
      underWay: known.flatMap(([place, row]): Sending[] => {
        const sent = row.outcome === 'rejected' ? row.unconfirmed : row.outcome === 'sending' && row;
        return sent ? [[place, sent.id, sent.revision, Number(sent.isReactivated)]] : [];
      }),
      packed: packWrites(writes.all),
    };
  }

  /** Keeps what an undo needs, and gives up what is open. */
  end(): void {
    const { run, until, from, service, file } = this.#import;
    const { writes, to } = writtenBy(this.#storage, this.#import);
    // Another tab may have ended it, with all that it knew.
    writes.addKept(unpackWrites(this.#imports.read(`${this.#name} ${run}`)?.packed));
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

/** The stored outcomes of rows, by their places. */
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
 * Call it at sign-out, after the signal was aborted: nobody else may see what the user has imported.
 * @example forgetImports(localStorage);
 */
export function forgetImports(storage: CallerStorage | undefined): void {
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
