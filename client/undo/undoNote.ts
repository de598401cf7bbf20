import type { UndoNote } from '../../portable/undo/runUndo.ts';
import type { UndoRow } from '../../portable/undo/undo.ts';
import { writeKey } from '../../portable/undo/withoutUndone.ts';
import type { CallerStorage, Catalog } from '../http/catalogClient.ts';
import { notesIn } from '../notes.ts';
import { numbersIn, type Range, rangesOf } from '../ranges.ts';
import type { Mistake } from './mistake.ts';

/** As the storage has it, for each undo that is open, and for a week after its end. */
interface Kept {
  readonly freed: readonly UndoRow[];
  /** The items that it has written, by the revisions that it has made. */
  readonly made?: Readonly<Record<string, readonly Range[]>>;
  readonly isOver?: boolean;
  readonly until?: number;
}

const slot = 'catalog.undo';

/** For how long an undo of an older mistake knows what this one has taken back, in milliseconds. */
const noteLifetime = 7 * 24 * 3_600_000;

type Caller = Pick<Catalog, 'account' | 'user'>;

const notesOn = (storage: CallerStorage | undefined) =>
  notesIn<Kept>(storage, slot, ({ until = Number.POSITIVE_INFINITY }) => until < Date.now());

const noteName = ({ account, user }: Caller, { users, from, to, kinds, items, fields }: Mistake): string =>
  JSON.stringify([account, user, users, from, to, kinds, items, fields]);

/** Whether an undo of a mistake has ended, and nothing that the user has done since is a part of it. */
export const isUndone = (storage: CallerStorage | undefined, caller: Caller, mistake: Mistake): boolean =>
  notesOn(storage).read(noteName(caller, mistake))?.isOver === true;

/** Removes what all undos have kept. */
export function removeUndoNotes(storage: CallerStorage): void {
  const notes = notesOn(storage);
  for (const name of Object.keys(notes.all())) notes.write(name, undefined);
}

/** What an undo keeps to go on, also beside other tabs, and for later undos of older mistakes. */
export function undoNote(
  storage: CallerStorage | undefined,
  caller: Caller,
  mistake: Mistake,
): UndoNote & { end(): void } {
  const notes = notesOn(storage);
  const name = noteName(caller, mistake);
  const made = new Map<number, Set<number>>();
  let freed: readonly UndoRow[] = [];
  const write = (kept: Pick<Kept, 'freed' | 'isOver'>): boolean => {
    const before = Object.entries(notes.read(name)?.made ?? {});
    for (const [revision, ranges] of before) idsAt(made, Number(revision), numbersIn(ranges));
    // What was freed must be put back, whenever that is.
    const until = kept.freed.length === 0 && { until: Date.now() + noteLifetime };
    return notes.write(name, { ...kept, ...until, made: rangesIn(made) });
  };
  return {
    undone: writesIn(notes.all(), caller.account, name),
    /** With what other tabs have freed, and also if the storage has been cleared. */
    get freed() {
      freed = merged(freed, notes.read(name)?.freed ?? []);
      return freed;
    },
    keep(all) {
      const more = merged(this.freed, all);
      const isKept = write({ freed: more });
      if (isKept) freed = more;
      return isKept;
    },
    add: (id, revision) => idsAt(made, revision + 1, [id]),
    end() {
      if (made.size === 0 && notes.read(name) === undefined) return;
      write({ freed: [], isOver: true });
    },
  };
}

function idsAt(made: Map<number, Set<number>>, revision: number, ids: readonly number[]): void {
  const known = made.get(revision) ?? new Set();
  made.set(revision, known);
  for (const id of ids) known.add(id);
}

const rangesIn = (made: ReadonlyMap<number, ReadonlySet<number>>) =>
  Object.fromEntries([...made].map(([revision, ids]) => [revision, rangesOf(ids)]));

/** The writes of the other undos in an account that have ended, as `writeKey` has them. */
function writesIn(all: Readonly<Record<string, Kept>>, account: string, own: string): ReadonlySet<string> {
  const others = Object.entries(all).filter(([name]) => name !== own && JSON.parse(name)[0] === account);
  const made = others.flatMap(([, kept]) => (kept.isOver === true ? Object.entries(kept.made ?? {}) : []));
  return new Set(made.flatMap(([revision, ranges]) => numbersIn(ranges).map((id) => writeKey(id, Number(revision)))));
}

const merged = (known: readonly UndoRow[], all: readonly UndoRow[]): readonly UndoRow[] => [
  ...known,
  ...all.filter(({ id, revision }) => !known.some((row) => row.id === id && row.revision === revision)),
];
