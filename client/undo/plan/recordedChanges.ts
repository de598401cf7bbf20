import type { Schemas } from '../../http/catalogClient.ts';
import type { ItemWrites } from '../../storage/ranges.ts';
import type { UndoSelection } from '../undoTarget.ts';
import { isSelected } from './planUndo.ts';
import type { RecordedState } from './undoPlan.ts';

type Change = Schemas['Change'];

/** Pauses in a row without a new change after which those that were found count as all. */
const patience = 4;

/** The same while writes are missing that are known to have been made. An update that changed nothing is never recorded. */
const patienceForKnown = 6;

/**
 * The changes that have been recorded so far. Nothing shows whether more will come, except that the changes of an item are
 * recorded in their order: once an update of the undo is recorded, so are those before it.
 */
export class RecordedChanges {
  readonly #selection: UndoSelection;
  readonly #next: (pause: number) => Promise<readonly Change[]>;
  readonly #onRead: (state: RecordedState) => void;
  readonly #changes = new Map<number, Change>();
  /** How many items are known to be written, and the last known write of each until it is recorded. */
  readonly #known: number;
  readonly #missing: Map<number, number>;
  /** The items of selected changes. */
  readonly items = new Set<number>();
  /** The highest recorded revision of each item. Nothing follows the removal of an item. */
  readonly revisions = new Map<number, number>();
  #newestWrite: string | undefined;
  #read = 0;
  #quiet = 0;

  /** @param next the changes that follow; waits so many milliseconds before */
  constructor(
    selection: UndoSelection,
    next: (pause: number) => Promise<readonly Change[]>,
    onRead: (state: RecordedState) => void = () => {},
  ) {
    this.#selection = selection;
    this.#next = next;
    this.#onRead = onRead;
    const known = [...(selection.known?.byItem ?? [])];
    this.#known = known.length;
    this.#missing = new Map(known.map(([item, revisions]) => [item, Math.max(...revisions)]));
  }

  get state(): RecordedState {
    const recorded = this.#known - this.#missing.size;
    return { newestWrite: this.#newestWrite, changes: this.#read, known: this.#known, recorded };
  }

  of(items: ReadonlySet<number>): Change[] {
    return [...this.#changes.values()].filter(({ item }) => items.has(item));
  }

  /** Reads what is new. */
  async read(pause = 0): Promise<void> {
    if (pause > 0) this.#quiet += 1;
    for (let page = await this.#next(pause); page.length > 0; page = await this.#next(0)) {
      this.#quiet = 0;
      this.#read += page.length;
      for (const change of page) this.#add(change);
      // Until the end of the selection, any item may be among those with selected changes.
      for (const change of page)
        if (this.items.has(change.item) || !this.#isPast(change.updated_at)) this.#changes.set(change.number, change);
      this.#onRead(this.state);
    }
  }

  #add(change: Change): void {
    const { item, kind, revision, updated_at } = change;
    if (isSelected(this.#selection, change)) this.items.add(item);
    const recorded = kind === 'removed' ? Number.POSITIVE_INFINITY : revision;
    this.revisions.set(item, Math.max(recorded, this.revisions.get(item) ?? 0));
    if (recorded >= (this.#missing.get(item) ?? Number.POSITIVE_INFINITY)) this.#missing.delete(item);
    if (this.#newestWrite === undefined || updated_at > this.#newestWrite) this.#newestWrite = updated_at;
  }

  readonly #isPast = (time: string): boolean => Date.parse(time) >= +this.#selection.to;

  /** Reads until all writes that are known are recorded, or nothing new comes. */
  async waitForKnown(): Promise<void> {
    await this.read();
    while (this.#missing.size > 0 && this.#quiet < patienceForKnown) await this.#readLater();
  }

  /** Whether an undo that finds nothing more to do may end. @param made its writes */
  isEnough(made: ItemWrites): boolean {
    if (!made.isEmpty)
      return [...made.byItem].every(([item, revisions]) => (this.revisions.get(item) ?? 0) >= Math.max(...revisions));
    const isEnd = this.#newestWrite !== undefined && this.#isPast(this.#newestWrite);
    return isEnd || this.#quiet >= patience || (this.#known > 0 && this.#missing.size === 0);
  }

  async waitForMore(made: ItemWrites): Promise<void> {
    while (!this.isEnough(made)) await this.#readLater();
  }

  #readLater(): Promise<void> {
    return this.read(Math.min(250 * 2 ** this.#quiet, 10_000));
  }
}
