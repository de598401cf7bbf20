import { isSelected } from './planUndo.ts';
import type { UndoChange, UndoRow, UndoSelection } from './undoPlan.ts';

/** How often in a row nothing new comes before an undo that has found changes, and none to put back, takes them for all. */
const patience = 4;

/**
 * The changes that have been recorded so far. Nothing tells whether more will come, only that those before an update of
 * the undo itself have, once that has: the changes of an item are recorded in their order.
 * @param next the changes that follow; waits so many milliseconds before
 */
export function recordedChanges(selection: UndoSelection, next: (pause: number) => Promise<readonly UndoChange[]>) {
  const all: UndoChange[] = [];
  /** The items of selected changes. */
  const items = new Set<number>();
  /** The highest revision of each item. None is higher than the last of an item that was removed. */
  const revisions = new Map<number, number>();
  let newestWrite: string | undefined;
  /** How often in a row nothing new has come after a pause. */
  let quiet = 0;
  const isPast = (time: string): boolean => Date.parse(time) >= +selection.to;

  /** Reads what is new. */
  async function read(pause = 0): Promise<void> {
    if (pause > 0) quiet += 1;
    for (let page = await next(pause); page.length > 0; page = await next(0)) {
      quiet = 0;
      for (const change of page) {
        const { item, kind, revision, updated_at } = change;
        if (isSelected(selection, change)) items.add(item);
        const recorded = kind === 'removed' ? Number.POSITIVE_INFINITY : revision;
        revisions.set(item, Math.max(recorded, revisions.get(item) ?? 0));
        if (newestWrite === undefined || updated_at > newestWrite) newestWrite = updated_at;
      }
      // Until the end of the selection, any item may be among those with selected changes.
      all.push(...page.filter(({ item, updated_at }) => items.has(item) || !isPast(updated_at)));
    }
  }

  /** Whether an undo that finds nothing more to do may end. @param made the updates that it has made */
  function isEnough(made: readonly UndoRow[]): boolean {
    if (made.length > 0) return made.every(({ id, revision }) => (revisions.get(id) ?? 0) > revision);
    return (newestWrite !== undefined && isPast(newestWrite)) || (items.size > 0 && quiet >= patience);
  }

  async function waitForMore(made: readonly UndoRow[]): Promise<void> {
    while (!isEnough(made)) await read(Math.min(250 * 2 ** quiet, 10_000));
  }

  return { all, items, revisions, newestWrite: () => newestWrite, read, isEnough, waitForMore };
}

export type RecordedChanges = ReturnType<typeof recordedChanges>;
