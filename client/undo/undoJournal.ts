import type { CallerStorage, Catalog } from '../http/catalogClient.ts';
import { ItemWrites, type KeptWrites, writesIn } from '../storage/ranges.ts';
import { storedEntries } from '../storage/storedEntries.ts';
import type { UndoJournal } from './plan/runUndo.ts';
import { writeKey } from './plan/withoutUndone.ts';
import type { UndoTarget } from './undoTarget.ts';

/** As the storage has it, for each undo that has written, until a week later. */
interface Kept {
  readonly made: KeptWrites;
  readonly isOver: boolean;
  readonly until: number;
}

const slot = 'catalog.undo';

/** For how long an undo of older changes knows what this one has taken back, in milliseconds. */
const noteLifetime = 7 * 24 * 3_600_000;

type Caller = Pick<Catalog, 'account' | 'user'>;

const notesOn = (storage: CallerStorage | undefined) =>
  storedEntries<Kept>(storage, slot, ({ until }) => until < Date.now());

/** Two imports can begin and end in the same moments: their writes tell them apart. Those of earlier versions have none. */
const noteName = ({ account, user }: Caller, { users, from, to, kinds, items, fields, writes }: UndoTarget): string =>
  JSON.stringify([account, user, users, from, to, kinds, items, fields, ...(writes === undefined ? [] : [writes])]);

/** Whether an undo has ended, and nothing that the user has done since is a part of it. */
export const isUndone = (storage: CallerStorage | undefined, caller: Caller, target: UndoTarget): boolean =>
  notesOn(storage).read(noteName(caller, target))?.isOver === true;

/** Removes what all undos have kept. */
export function removeUndoJournals(storage: CallerStorage): void {
  const notes = notesOn(storage);
  for (const name of Object.keys(notes.all())) notes.write(name, undefined);
}

/** What an undo keeps for later undos of older changes. */
export function undoJournal(
  storage: CallerStorage | undefined,
  caller: Caller,
  target: UndoTarget,
): UndoJournal & { keep(): void; end(): void } {
  const notes = notesOn(storage);
  const name = noteName(caller, target);
  const made = new ItemWrites();
  const keep = (isOver = false): void => {
    made.addKept(notes.read(name)?.made);
    notes.write(name, { made: made.kept, isOver, until: Date.now() + noteLifetime });
  };
  return {
    undone: othersWrites(notes.all(), caller.account, name),
    keep,
    add: (id, revision) => made.add(id, revision + 1),
    end() {
      if (!made.isEmpty || notes.read(name) !== undefined) keep(true);
    },
  };
}

/** The writes of the other undos in an account that have ended, as `writeKey` has them. */
function othersWrites(all: Readonly<Record<string, Kept>>, account: string, own: string): ReadonlySet<string> {
  const others = Object.entries(all).filter(([name]) => name !== own && JSON.parse(name)[0] === account);
  const writes = others.flatMap(([, { isOver, made }]) => (isOver ? writesIn(made) : []));
  return new Set(writes.map(({ item, revision }) => writeKey(item, revision)));
}
