import { isSelected } from './planUndo.ts';
import type { UndoChange, UndoRow, UndoSelection } from './undo.ts';

/** How often in a row nothing new comes before an undo that has found changes, and none to put back, takes them for all. */
const patience = 4;

/**
 * The changes that have been recorded so far. Nothing tells whether more will come, only that those before an update of
 * the undo itself have, once that has: the changes of an item are recorded in their order.
 */
export class RecordedChanges {
  readonly #selection: UndoSelection;
  readonly #next: (pause: number) => Promise<readonly UndoChange[]>;
  /** How often in a row nothing new has come after a pause. */
  #quiet = 0;
  readonly all: UndoChange[] = [];
  /** The items of selected changes. */
  readonly items = new Set<number>();
  /** The highest revision of each item. None is higher than the last of an item that was removed. */
  readonly revisions = new Map<number, number>();
  /** When the newest of the writes was done. */
  newestWrite: string | undefined;

  constructor(selection: UndoSelection, next: (pause: number) => Promise<readonly UndoChange[]>) {
    this.#selection = selection;
    this.#next = next;
  }

  /** Reads what is new. @param pause in milliseconds */
  async read(pause = 0): Promise<void> {
    if (pause > 0) this.#quiet += 1;
    for (let page = await this.#next(pause); page.length > 0; page = await this.#next(0)) {
      this.#quiet = 0;
      for (const change of page) {
        const { item, kind, revision, updated_at } = change;
        if (isSelected(this.#selection, change)) this.items.add(item);
        const recorded = kind === 'removed' ? Number.POSITIVE_INFINITY : revision;
        this.revisions.set(item, Math.max(recorded, this.revisions.get(item) ?? 0));
        if (this.newestWrite === undefined || updated_at > this.newestWrite) this.newestWrite = updated_at;
      }
      // Until the mistake has ended, any item may be among those with selected changes.
      this.all.push(...page.filter(({ item, updated_at }) => this.items.has(item) || !this.#isPast(updated_at)));
    }
  }

  readonly #isPast = (time: string): boolean => Date.parse(time) >= +this.#selection.to;

  /** Waits until an undo that finds nothing more to do may end. @param made the updates that it has made */
  async wait(made: readonly UndoRow[]): Promise<void> {
    while (!this.isEnough(made)) await this.read(Math.min(250 * 2 ** this.#quiet, 10_000));
  }

  isEnough(made: readonly UndoRow[]): boolean {
    if (made.length > 0) return made.every(({ id, revision }) => (this.revisions.get(id) ?? 0) > revision);
    const isPast = this.newestWrite !== undefined && this.#isPast(this.newestWrite);
    return isPast || (this.items.size > 0 && this.#quiet >= patience);
  }
}
