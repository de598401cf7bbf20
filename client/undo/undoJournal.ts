import type { CallerStorage, Catalog } from '../http/catalogClient.ts';
import { ItemWrites, type KeptWrites } from '../storage/ranges.ts';
import { removeAll, storedEntries } from '../storage/storedEntries.ts';
import type { UndoTarget } from './undoTarget.ts';

/** As the storage has it, for each undo that has written, until a week later. */
interface StoredUndo {
  /** The service that it is of. Versions up to 3b696f61 stored none. */
  readonly service?: string;
  readonly made: KeptWrites;
  readonly isOver: boolean;
  readonly until: number;
}

/** For how long an undo of older changes knows what this one has taken back, in milliseconds. */
const lifetime = 7 * 24 * 3_600_000;

type Caller = Pick<Catalog, 'account' | 'user'>;

const undosIn = (storage: CallerStorage | undefined) =>
  storedEntries<StoredUndo>(storage, 'catalog.undo', ({ until }) => until < Date.now());

/** Two imports can begin and end in the same moments: their writes tell them apart. Those of earlier versions have none. */
const nameOf = ({ account, user }: Caller, { users, from, to, kinds, items, fields, writes }: UndoTarget): string =>
  JSON.stringify([account, user, users, from, to, kinds, items, fields, ...(writes === undefined ? [] : [writes])]);

/** Whether an undo has ended, and nothing that the user has done since is a part of it. */
export const isUndone = (storage: CallerStorage | undefined, caller: Caller, target: UndoTarget): boolean =>
  undosIn(storage).read(nameOf(caller, target))?.isOver === true;

/**
 * Call it at sign-out, after the signal was aborted: nobody else may see what the user has left open.
 * @example forgetUndos(localStorage);
 */
export const forgetUndos = (storage: CallerStorage | undefined): void => removeAll(undosIn(storage));

/** What an undo keeps for later undos of older changes. */
export function undoJournal(storage: CallerStorage | undefined, service: string, caller: Caller, target: UndoTarget) {
  const undos = undosIn(storage);
  const name = nameOf(caller, target);
  /** The writes of earlier undos. */
  const undone = new ItemWrites();
  for (const [other, entry] of Object.entries(undos.all())) {
    const isOfAccount = JSON.parse(other)[0] === caller.account && (entry.service ?? service) === service;
    if (entry.isOver && other !== name && isOfAccount) undone.addKept(entry.made);
  }
  let due = 0;
  const keep = (made: ItemWrites, isOver: boolean): void => {
    // An undo that is over, and was only begun again, stays so.
    if (made.isEmpty && !isOver) return;
    const startedAt = performance.now();
    const all = new ItemWrites(undos.read(name)?.made);
    all.addKept(made.kept);
    if (!all.isEmpty) undos.write(name, { service, made: all.kept, isOver, until: Date.now() + lifetime });
    due = performance.now() + 20 * (performance.now() - startedAt);
  };
  return {
    undone,
    /** @param made by this visit */
    keep,
    /** Keeps what is made by now. All of it is written each time, so it does that for a twentieth of the time at most. */
    keepWhenDue: (made: ItemWrites) => {
      if (performance.now() >= due) keep(made, false);
    },
  };
}
