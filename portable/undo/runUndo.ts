import { type FieldProblem, identifierNames } from '../../lib/item/fields.ts';
import { holdersIn, isBack, keyOf } from './planRows.ts';
import { planUndo } from './planUndo.ts';
import { recordedChanges } from './recordedChanges.ts';
import type {
  FieldReport,
  UndoCatalog,
  UndoChange,
  UndoIdentifier,
  UndoItem,
  UndoLook,
  UndoPlan,
  UndoRow,
  UndoSelection,
} from './undo.ts';

/** What an undo needs of the service. */
export interface UndoService {
  /**
   * The next changes as they were recorded, beginning before the first that is selected. None if there are no more for now.
   * @param pause milliseconds to wait before
   */
  readonly nextChanges: (pause: number) => Promise<readonly UndoChange[]>;
  readonly findItems: (ids: readonly number[]) => Promise<readonly UndoItem[]>;
  /** The items that have these identifiers. */
  readonly findHolders: (identifiers: readonly UndoIdentifier[]) => Promise<readonly UndoItem[]>;
  readonly loadCatalog: () => Promise<UndoCatalog>;
  /** Sends updates. They are all answered when it ends. */
  readonly send: (rows: readonly UndoRow[]) => AsyncIterable<readonly SentRow[]>;
}

export interface SentRow {
  readonly row: UndoRow;
  readonly error?: Refusal | undefined;
}

/** Why a row was refused. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fields?: readonly FieldProblem[] | undefined;
}

/** Keeps the identifiers that an undo takes from items for a moment, so that it can go on when it was interrupted. */
export interface UndoNote {
  readonly freed: UndoPlan['freed'];
  /** @returns whether they are kept; if not, none of them may be taken */
  readonly keep: (freed: UndoPlan['freed']) => boolean;
  /** The writes of earlier undos of other mistakes, as `writeKey` has them. */
  readonly undone: ReadonlySet<string>;
  /** Is told of each update that the undo has made, with the revision of the item before it. */
  readonly add: (id: number, revision: number) => void;
}

export interface UndoProgress {
  /** What is done with each field, as of the last look at the items. */
  readonly report: readonly FieldReport[];
  /** Why items could not be updated, by their ids. */
  readonly rejected: ReadonlyMap<number, string>;
  /** How many updates were made by this call. */
  readonly updates: number;
  /** How many follow, as of the last look, and at least 1 while changes may be missing. The undo is done when it says 0. */
  readonly left: number;
  /** When the newest of the writes was done that are recorded (`updated_at`). What was written later may be missing. */
  readonly newestWrite: string | undefined;
}

/** How often an item is looked at again that somebody else has written each time. */
const maxRefusals = 20;

/**
 * Undoes changes by updates, each under the revision that was looked at, until nothing is left to undo, and the changes
 * that it has made are recorded: then those before them are, too. Can be interrupted at any time, and repeated with the
 * same note.
 * @returns the progress: the first before anything is written, the last when nothing is left. If no change is selected,
 * the last comes when one is recorded that was written after the mistake
 */
export async function* runUndo(
  selection: UndoSelection,
  service: UndoService,
  note: UndoNote,
): AsyncGenerator<UndoProgress, void> {
  const recorded = recordedChanges(selection, service.nextChanges);
  const rejected = new Map<number, string>();
  const made: UndoRow[] = [];
  const look = lookAgain({ selection, rejected, made }, service, recorded, note);
  /** The revisions at which items were refused. */
  const refusals = new Map<number, readonly number[]>();
  let report: readonly FieldReport[] = [];
  const progress = (left: number): UndoProgress => ({
    ...{ report, rejected: new Map(rejected), updates: made.length, left },
    newestWrite: recorded.newestWrite(),
  });
  /** The items that had something to put back in the last look. All are looked at in the first look, and in the last. */
  let open: ReadonlySet<number> | undefined;
  for (;;) {
    let { seen, plan } = await look(open);
    if (plan.steps.length > 0 && !note.keep(plan.freed)) plan = planUndo({ ...seen, canFree: false });
    const others = report.filter(({ item }) => open !== undefined && !open.has(item));
    report = [...others, ...plan.report];
    const { steps } = plan;
    let left = steps.flat().length;
    const isLast = left === 0 && open === undefined;
    const isDone = isLast && recorded.isEnough(made);
    if (left > 0 || isLast) yield progress(isDone ? 0 : Math.max(left, 1));
    if (isDone) return;
    if (isLast) await recorded.waitForMore(made);
    open = left === 0 ? undefined : new Set(plan.report.filter(isBack).map(({ item }) => item));
    for (const step of steps) {
      let isComplete = true;
      for await (const sent of service.send(step)) {
        for (const { row, error } of sent) {
          left -= 1;
          if (error === undefined) {
            made.push(row);
            note.add(row.id, row.revision);
            continue;
          }
          isComplete = false;
          const { id, revision } = row;
          const before = refusals.get(id) ?? [];
          refusals.set(id, [...before, revision]);
          // The next look shows what has changed. If that is nothing, or always something, it would be refused for ever.
          const isSame = error.code !== 'PRECONDITION_FAILED' && before.includes(revision);
          if (isSame || before.length === maxRefusals) rejected.set(id, reasonOf(error));
        }
        if (left > 0) yield progress(left);
      }
      // What depends on it can no longer be done.
      if (!isComplete) break;
    }
  }
}

const reasonOf = ({ message, fields = [] }: Refusal): string =>
  fields.map(({ field, reason }) => `${field} ${reason}`).join('; ') || message;

/** @returns looks at what is there by then. Changes that were read once are not read again */
function lookAgain(
  undo: Pick<UndoLook, 'selection' | 'rejected' | 'made'>,
  { findItems, findHolders, loadCatalog }: UndoService,
  recorded: ReturnType<typeof recordedChanges>,
  note: UndoNote,
) {
  const holders = new Set<number>();
  /** @param only the items to plan for; all if omitted */
  return async (only: ReadonlySet<number> = recorded.items): Promise<{ seen: UndoLook; plan: UndoPlan }> => {
    const items = new Map<number, UndoItem>();
    /** What was recorded of the items when they were read. */
    const known = new Map<number, number>();
    /** Whether an item is to be read, because it was not, or because a change was recorded since that is newer than it. */
    const isDue = (id: number): boolean => {
      const [before, now] = [known.get(id), recorded.revisions.get(id) ?? 0];
      return before === undefined || now > Math.max(before, items.get(id)?.revision ?? now);
    };
    const dueNow = () => [...new Set([...only, ...holders])].filter(isDue);
    const sought = new Set<string>();
    if (recorded.items.size === 0) await recorded.read();
    for (;;) {
      for (let due = dueNow(); due.length > 0; due = dueNow()) {
        for (const id of due) known.set(id, recorded.revisions.get(id) ?? 0);
        for (const id of due) items.delete(id);
        for (const item of await findItems(due)) items.set(item.id, item);
        await recorded.read();
      }
      const changes = recorded.all.filter(({ item }) => only.has(item));
      const catalog = await loadCatalog();
      // Read last: what another tab has freed is noted before that can be seen.
      const seen: UndoLook = {
        ...undo,
        items,
        changes,
        catalog,
        freed: note.freed,
        undone: note.undone,
        canFree: true,
      };
      const plan = planUndo(seen);
      const held = holdersIn(items);
      const wanted: UndoIdentifier[] = [];
      for (const { field, before } of plan.report.filter(isBack)) {
        const [name, key] = [identifierNames.find((identifier) => identifier === field), keyOf(field, before)];
        if (name === undefined || typeof before !== 'string' || held.has(key) || sought.has(key)) continue;
        sought.add(key);
        wanted.push({ name, text: before });
      }
      const before = holders.size;
      for (const { id } of await findHolders(wanted)) holders.add(id);
      if (holders.size === before) return { seen, plan };
    }
  };
}
