import { type CallerStorage, type Catalog, newKey } from '../http/catalogClient.ts';
import { keyLifetime, notesIn } from '../notes.ts';
import { numbersIn, type Range, rangesOf } from '../ranges.ts';
import type { Mistake } from '../undo/mistake.ts';
import { isUndone } from '../undo/undoNote.ts';

/** As the storage has it, for each import that is open, by user and rows, and for the last ones that have ended. */
interface Kept {
  readonly until: number;
  /** Each batch that is decided, by its index. Older versions kept its rejects here, and read none if there are none. */
  readonly done: Readonly<Record<string, readonly { readonly row: number }[]>>;
  /** The places of the rows that were refused, and the items that were written, by the index of their batch. */
  readonly refused?: Readonly<Record<string, readonly number[]>>;
  readonly items?: Readonly<Record<string, readonly Range[]>>;
  /** A random name, of which the keys of the batches are made. Older versions made them of the rows. */
  readonly run?: string | undefined;
  /** When it wrote, by the service's clock, in milliseconds since 1970. */
  readonly from?: number;
  readonly to?: number;
  readonly isOver?: boolean;
  /** The places of the rows that were new when it began. If one has an item by now, that may be of this import. */
  readonly fresh?: readonly Range[];
}

const slot = 'catalog.import';

/** For how long it is known that an import has expired, or what it has written. */
const noteLifetime = 7 * 24 * 3_600_000;

/** How many imports are kept that have ended. */
const maxOver = 5;

/**
 * What has been done of an import. Other tabs with the same storage add what they do. It goes on without the storage.
 * @param now by the service's clock, to the second
 * @param isNew the places of the rows that are new by the look, if it begins now
 */
export function importNote(storage: CallerStorage, name: string, now: number, isNew: readonly number[] = []) {
  const notes = importNotes(storage);
  /** How far the service's clock is ahead of ours, rounded up to a second. */
  const ahead = now + 1_000 - Date.now();
  const began = performance.now();
  /** By the service's clock: ours may be set back meanwhile, and the other one may stop while the machine sleeps. */
  const time = () => Math.ceil(Math.max(Date.now() + ahead, now + 1_000 + performance.now() - began));
  const items = new Map<number, readonly Range[]>();
  /** The places of the rows that were refused of each batch that is decided, by its index. */
  const done = new Map<number, readonly number[]>();
  /** Takes over what other tabs have done. */
  function read(): Kept | undefined {
    const kept = notes.read(name);
    for (const [text, rejects] of Object.entries(kept?.done ?? {})) {
      const index = Number(text);
      if (done.has(index)) continue;
      done.set(index, kept?.refused?.[index] ?? rejects.map(({ row }) => row));
      items.set(index, kept?.items?.[index] ?? []);
    }
    return kept;
  }
  const before = read();
  /** Undefined if an older version has begun it. */
  const run = before === undefined ? newKey() : before.run;
  /** When the keys of the first batches no longer protect their rows. */
  const until = before?.until ?? Date.now() + keyLifetime;
  const fresh = before === undefined ? rangesOf(isNew) : (before.fresh ?? []);
  const kept = () => ({
    ...{ fresh, until, run, from: before?.from ?? now, to: time() },
    ...{ done: Object.fromEntries([...done.keys()].map((index) => [index, []])) },
    ...{ refused: notEmpty(done), items: notEmpty(items) },
  });
  const note = {
    ...{ run, until, done, read },
    wasNew: (place: number) => before !== undefined && fresh.some(([first, last]) => first <= place && place <= last),
    /** Whether the storage has it. */
    isKept: notes.write(name, kept()),
    /** @param ids of the items that were written */
    add(batch: number, refused: readonly number[], ids: readonly number[]): void {
      items.set(batch, [...(items.get(batch) ?? []), ...rangesOf(ids)]);
      done.set(batch, refused);
      read();
      note.isKept = notes.write(name, kept());
    },
    /** Keeps what an undo needs. */
    end(): void {
      notes.write(name, undefined);
      const written = kept();
      if (Object.keys(written.items).length > 0)
        notes.write(`${name} ${run}`, { ...written, done: {}, refused: {}, isOver: true });
      const over = byNewest(notes.all()).filter(([, { isOver }]) => isOver === true);
      for (const [old] of over.slice(maxOver)) notes.write(old, undefined);
    },
  };
  return note;
}

const notEmpty = <Value>(all: ReadonlyMap<number, readonly Value[]>) =>
  Object.fromEntries([...all].filter(([, values]) => values.length > 0));

/**
 * What the last imports of the user have written, newest first, for `preview` and `undo`: five that have ended in the
 * last week, and those that are open, but none that was undone.
 * @example const [last] = lastImports(localStorage, catalog); // preview(client, last)
 */
export function lastImports(storage: CallerStorage, { account, user }: Pick<Catalog, 'account' | 'user'>): Mistake[] {
  return byNewest(importNotes(storage).all()).flatMap(([name, { from, to = 0, items = {} }]) => {
    const [, owner] = /^(.*) [0-9a-f]{64}(?: \S+)?$/.exec(name) ?? [];
    const ids = Object.values(items).flat();
    if (owner !== `${account} ${user}` || from === undefined || ids.length === 0) return [];
    const each = numbersIn(ids).sort((a, b) => a - b);
    const mistake = { users: [user], from: new Date(from), to: new Date(to), items: each };
    return isUndone(storage, { account, user }, mistake) ? [] : [mistake];
  });
}

/**
 * Call it at sign-out: nobody else may see what the user has imported. And to give up an import that has expired.
 * @example forgetImports(localStorage);
 */
export const forgetImports = (storage: CallerStorage): void => storage.removeItem(slot);

const importNotes = (storage: CallerStorage) =>
  notesIn<Kept>(storage, slot, ({ until }) => until < Date.now() - noteLifetime);

const byNewest = (notes: Readonly<Record<string, Kept>>) =>
  Object.entries(notes)
    .reverse() // those of one second are in the order of their ends
    .sort(([, { from: one = 0 }], [, { from: other = 0 }]) => other - one);
