import { type CallerStorage, type Catalog, newKey } from '../http/catalogClient.ts';
import type { RowResult } from '../http/sendBatches.ts';
import { ItemWrites, type KeptWrites, numbersIn, type Range, rangesOf } from '../storage/ranges.ts';
import { keyLifetime, storedEntries } from '../storage/storedEntries.ts';
import { isUndone } from '../undo/undoJournal.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { PlacedRow } from './planRows.ts';
import type { RowLook } from './rowLook.ts';

/** An item that a row is about to update, as it was looked at. */
type UnderWay = readonly [place: number, id: number, revision: number];

/** As the storage has it, for each import that is open, by user and rows, and for the last ones that have ended. */
interface Kept {
  /** A random name, of which the keys of updates are made. */
  readonly run: string;
  /** When the keys of the first rows no longer protect them, in milliseconds since 1970. */
  readonly until: number;
  /** When it wrote, by the service's clock, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The places of the rows that were new, and of those that were not to be written, when they were looked at. */
  readonly fresh: readonly Range[];
  readonly settled: readonly Range[];
  /** The places of the rows that are written. */
  readonly done: readonly Range[];
  /** The items that were written. */
  readonly items: readonly Range[];
  /** With the revisions that they got, unless an answer was lost. Notes of earlier versions have none. */
  readonly writes?: KeptWrites | undefined;
  readonly underWay: readonly UnderWay[];
  readonly isOver?: boolean;
}

const slot = 'catalog.imports';

/** For how long it is known that an import has expired, or what it has written, in milliseconds. */
const noteLifetime = 7 * 24 * 3_600_000;

/** How many imports are kept that have ended. */
const maxOver = 5;

type Caller = Pick<Catalog, 'account' | 'user'>;

const notesOn = (storage: CallerStorage | undefined) =>
  storedEntries<Kept>(storage, slot, ({ until }) => until < Date.now() - noteLifetime);

const nameFor = ({ account, user }: Caller, hash: string) => `${account} ${user} ${hash}`;

/**
 * What an import has done and has under way, with what other tabs with the same storage do. It goes on without the storage.
 */
export class ImportNote {
  readonly #notes: ReturnType<typeof notesOn>;
  readonly #name: string;
  readonly #run = newKey();
  /** When none of its rows is protected by its key any more. */
  until = Date.now() + keyLifetime;
  /** The service's clock when it began, to the second, and ours. */
  #from: number;
  readonly #began = { now: 0, ahead: 0, at: performance.now() };
  readonly #fresh = new Set<number>();
  readonly #settled = new Set<number>();
  readonly #done = new Set<number>();
  readonly #items = new Set<number>();
  readonly #writes = new ItemWrites();
  readonly #underWay = new Map<number, UnderWay>();
  readonly #answered = new Set<number>();
  #kept: Kept | undefined;
  /** Whether the storage has it. */
  isKept = true;

  /** @param now by the service's clock, to the second */
  constructor(storage: CallerStorage | undefined, caller: Caller, hash: string, now: number) {
    this.#notes = notesOn(storage);
    this.#name = nameFor(caller, hash);
    this.#from = now;
    this.#began = { now: now + 1_000, ahead: now + 1_000 - Date.now(), at: performance.now() };
    this.read();
  }

  /** Whether it was begun before. */
  get isOpen(): boolean {
    return this.#kept !== undefined;
  }

  keyOf = (place: number): string => `${this.#kept?.run ?? this.#run}.${place}`;

  isDone = (place: number): boolean => this.#done.has(place);

  /** Takes over what other tabs have done. */
  read(): void {
    this.#kept = this.#notes.read(this.#name) ?? this.#kept;
    const { until, from, fresh = [], settled = [], done = [], items = [], writes, underWay = [] } = this.#kept ?? {};
    this.until = until ?? this.until;
    this.#from = from ?? this.#from;
    const all = [
      [this.#fresh, fresh],
      [this.#settled, settled],
      [this.#done, done],
      [this.#items, items],
    ] as const;
    for (const [known, ranges] of all) for (const number of numbersIn(ranges)) known.add(number);
    this.#writes.addKept(writes);
    for (const row of underWay)
      if (!this.#answered.has(row[0]) && !this.isDone(row[0])) this.#underWay.set(row[0], row);
  }

  /**
   * What is known of a row without another look, since this run has begun. What it may have written is found by its key: a
   * new look would make another update of it, over what others have written since.
   */
  lookOf({ place, key }: PlacedRow): RowLook | undefined {
    if (this.isDone(place)) return { verdict: 'done' };
    const [, id, revision] = this.#underWay.get(place) ?? [];
    if (id !== undefined) return { verdict: 'changed', id, revision, isUnderWay: true };
    if (this.#fresh.has(place)) return { verdict: 'new', key };
    return this.#settled.has(place) ? { verdict: 'unchanged' } : undefined;
  }

  /** Begins, or goes on, with what was looked at. */
  begin(rows: readonly PlacedRow[], looks: readonly RowLook[]): void {
    for (const { place, key } of rows) {
      const look = looks[place - 1];
      if (look?.verdict === 'new' && look.key === key) this.#fresh.add(place);
      if (look?.verdict === 'unchanged' || look?.verdict === 'known') this.#settled.add(place);
    }
    this.#write();
  }

  /** Notes what is about to be sent. */
  send(rows: readonly UnderWay[]): void {
    for (const row of rows) this.#underWay.set(row[0], row);
    if (rows.length > 0) this.#write();
  }

  /**
   * @param done the places of a batch's rows that were written
   * @param written what became of these
   */
  add(places: readonly number[], done: readonly number[], written: readonly RowResult[]): void {
    for (const place of places) {
      this.#answered.add(place);
      this.#underWay.delete(place);
    }
    for (const place of done) this.#done.add(place);
    for (const { id, revision, status, replayed } of written) {
      if (id === undefined) continue;
      this.#items.add(id);
      // The answer to an update that was written before has the revision of now.
      if (revision !== undefined && (replayed !== true || status === 201)) this.#writes.add(id, revision);
    }
    this.#write();
  }

  #write(): void {
    this.read();
    this.#kept = this.#content();
    this.isKept = this.#notes.write(this.#name, this.#kept);
  }

  #content(): Kept {
    const { now, ahead, at } = this.#began;
    return {
      run: this.#kept?.run ?? this.#run,
      until: this.until,
      from: this.#from,
      // Our clock may be set back meanwhile, and the other one may stop while the machine sleeps.
      to: Math.ceil(Math.max(Date.now() + ahead, now + performance.now() - at)),
      fresh: rangesOf(this.#fresh),
      settled: rangesOf(this.#settled),
      done: rangesOf(this.#done),
      items: rangesOf(this.#items),
      writes: this.#writes.kept,
      underWay: [...this.#underWay.values()],
    };
  }

  /** Keeps what an undo needs. */
  end(): void {
    const { run, until, from, to, items, writes } = this.#content();
    const none = { fresh: [], settled: [], done: [], underWay: [] };
    if (items.length > 0)
      this.#notes.write(`${this.#name} ${run}`, { run, until, from, to, items, writes, ...none, isOver: true });
    // Only now: whoever is killed between them goes on, and loses nothing.
    this.#notes.write(this.#name, undefined);
    const over = byNewest(this.#notes.all()).filter(([, { isOver }]) => isOver === true);
    for (const [old] of over.slice(maxOver)) this.#notes.write(old, undefined);
  }
}

/**
 * What the last imports of the user have written, newest first, for `preview` and `undo`: five that have ended in the
 * last week, and those that are open, but none that was undone.
 * @param hash only imports of these rows: `look.plan.hash`
 * @example const [last] = lastImports(localStorage, catalog); // preview(client, last)
 */
export function lastImports(
  storage: CallerStorage | undefined,
  { account, user }: Caller,
  hash = '[0-9a-f]{64}',
): UndoTarget[] {
  const isOwn = new RegExp(`^(.*) ${hash}(?: \\S+)?$`);
  return byNewest(notesOn(storage).all()).flatMap(([name, { from, to, items = [], writes }]) => {
    const [, owner] = isOwn.exec(name) ?? [];
    if (owner !== `${account} ${user}` || from === undefined || items.length === 0) return [];
    const target = { users: [user], from: new Date(from), to: new Date(to), items: numbersIn(items), writes };
    return isUndone(storage, { account, user }, target) ? [] : [target];
  });
}

/**
 * Call it at sign-out: nobody else may see what the user has imported. And to give up an import that has expired.
 * @example forgetImports(localStorage);
 */
export function forgetImports(storage: CallerStorage): void {
  const notes = notesOn(storage);
  for (const name of Object.keys(notes.all())) notes.write(name, undefined);
  // Version 1 kept its imports there.
  storedEntries(storage, 'catalog.import', () => true).write('', undefined);
}

const byNewest = (notes: Readonly<Record<string, Kept>>) =>
  Object.entries(notes)
    .reverse() // those of one second are in the order of their ends
    .sort(([, { from: first = 0 }], [, { from: second = 0 }]) => second - first);
