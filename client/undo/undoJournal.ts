import type { CallerStorage, Catalog } from '../http/catalogClient.ts';
import { ItemWrites, type KeptWrites, writesIn } from '../storage/ranges.ts';
import { removeAll, storedEntries } from '../storage/storedEntries.ts';
import type { UndoJournal } from './plan/runUndo.ts';
import { writeKey } from './plan/undoPlan.ts';
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
export const forgetUndos = (storage: CallerStorage): void => removeAll(undosIn(storage));

/** What an undo keeps for later undos of older changes. */
export function undoJournal(
  storage: CallerStorage | undefined,
  service: string,
  caller: Caller,
  target: UndoTarget,
): UndoJournal & { keep(isOver: boolean): void } {
  const undos = undosIn(storage);
  const name = nameOf(caller, target);
  const made = new ItemWrites();
  const isEarlier = ([other, entry]: readonly [string, StoredUndo]) =>
    entry.isOver && other !== name && JSON.parse(other)[0] === caller.account && (entry.service ?? service) === service;
  const earlier = Object.entries(undos.all()).filter(isEarlier);
  const undone = earlier.flatMap(([, entry]) => writesIn(entry.made));
  return {
    undone: new Set(undone.map(({ item, revision }) => writeKey(item, revision))),
    add: (id, revision) => made.add(id, revision),
    keep(isOver) {
      made.addKept(undos.read(name)?.made);
      if (!made.isEmpty) undos.write(name, { service, made: made.kept, isOver, until: Date.now() + lifetime });
    },
  };
}
