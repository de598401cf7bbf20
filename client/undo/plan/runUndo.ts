import { type FieldProblem, identifierNames } from '../../../lib/item/fields.ts';
import { planUndo } from './planUndo.ts';
import { holdersIn, isBack, keyOf } from './planUpdates.ts';
import { type RecordedChanges, recordedChanges } from './recordedChanges.ts';
import type {
  FieldReport,
  UndoCatalog,
  UndoChange,
  UndoIdentifier,
  UndoItem,
  UndoPlan,
  UndoRow,
  UndoSelection,
} from './undoPlan.ts';

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

export interface UndoJournal {
  /** The writes of earlier undos of other changes, as `writeKey` has them. */
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
 * same journal.
 * @returns the progress: the first before anything is written, the last when nothing is left. If no change is selected,
 * the last comes when one is recorded that was written after the selection
 */
export const runUndo = (
  selection: UndoSelection,
  service: UndoService,
  journal: UndoJournal,
): AsyncGenerator<UndoProgress, void> => new UndoRun(selection, service, journal).run();

class UndoRun {
  readonly #selection: UndoSelection;
  readonly #service: UndoService;
  readonly #journal: UndoJournal;
  readonly #recorded: RecordedChanges;
  readonly #made: UndoRow[] = [];
  /** Why items could not be updated, and the revisions at which they were refused. */
  readonly #rejected = new Map<number, string>();
  readonly #refusals = new Map<number, readonly number[]>();
  /** The items that have an identifier which is to go back. */
  readonly #holders = new Set<number>();
  #report: readonly FieldReport[] = [];

  constructor(selection: UndoSelection, service: UndoService, journal: UndoJournal) {
    this.#selection = selection;
    this.#service = service;
    this.#journal = journal;
    this.#recorded = recordedChanges(selection, service.nextChanges);
  }

  async *run(): AsyncGenerator<UndoProgress, void> {
    const [recorded, made] = [this.#recorded, this.#made];
    /** The items that had something to put back in the last look. All are looked at in the first look, and in the last. */
    let open: ReadonlySet<number> | undefined;
    for (;;) {
      const { steps, report } = await this.#look(open);
      this.#report = [...this.#report.filter(({ item }) => open !== undefined && !open.has(item)), ...report];
      const left = steps.flat().length;
      const isLast = left === 0 && open === undefined;
      const isDone = isLast && recorded.isEnough(made);
      if (left > 0 || isLast) yield this.#progress(isDone ? 0 : Math.max(left, 1));
      if (isDone) return;
      if (isLast) await recorded.waitForMore(made);
      open = left === 0 ? undefined : new Set(report.filter(isBack).map(({ item }) => item));
      yield* this.#send(steps, left);
    }
  }

  #progress(left: number): UndoProgress {
    return {
      report: this.#report,
      rejected: new Map(this.#rejected),
      updates: this.#made.length,
      left,
      newestWrite: this.#recorded.newestWrite(),
    };
  }

  /** Plans for some items, or for all: looks at them, and then at those that have the identifiers which are to go back. */
  async #look(only: ReadonlySet<number> = this.#recorded.items): Promise<UndoPlan> {
    const { findHolders, loadCatalog } = this.#service;
    const current = new CurrentItems(this.#service, this.#recorded);
    const sought = new Set<string>();
    if (this.#recorded.items.size === 0) await this.#recorded.read();
    for (;;) {
      await current.read(() => [...only, ...this.#holders]);
      const plan = planUndo({
        selection: this.#selection,
        rejected: this.#rejected,
        made: this.#made,
        items: current.items,
        changes: this.#recorded.all.filter(({ item }) => only.has(item)),
        catalog: await loadCatalog(),
        undone: this.#journal.undone,
      });
      const { size } = this.#holders;
      for (const { id } of await findHolders(soughtIn(plan, current.items, sought))) this.#holders.add(id);
      if (this.#holders.size === size) return plan;
    }
  }

  /** Sends the steps of a plan, and leaves those that depend on a row which was refused. */
  async *#send(steps: UndoPlan['steps'], planned: number): AsyncGenerator<UndoProgress, void> {
    let left = planned;
    for (const step of steps) {
      const made = this.#made.length;
      for await (const sent of this.#service.send(step)) {
        left -= sent.length;
        for (const { row, error } of sent)
          if (error === undefined) this.#take(row);
          else this.#refuse(row, error);
        if (left > 0) yield this.#progress(left);
      }
      if (this.#made.length < made + step.length) return;
    }
  }

  #take(row: UndoRow): void {
    this.#made.push(row);
    this.#journal.add(row.id, row.revision);
  }

  /** The next look shows what has changed. If that is nothing, or always something, it would be refused for ever. */
  #refuse({ id, revision }: UndoRow, error: Refusal): void {
    const before = this.#refusals.get(id) ?? [];
    this.#refusals.set(id, [...before, revision]);
    const isSame = error.code !== 'PRECONDITION_FAILED' && before.includes(revision);
    if (isSame || before.length === maxRefusals) this.#rejected.set(id, reasonOf(error));
  }
}

const reasonOf = ({ message, fields = [] }: Refusal): string =>
  fields.map(({ field, reason }) => `${field} ${reason}`).join('; ') || message;

/** The identifiers that go back, if no item is known to have them and they were not sought before. */
function soughtIn(plan: UndoPlan, items: ReadonlyMap<number, UndoItem>, sought: Set<string>): UndoIdentifier[] {
  const held = holdersIn(items);
  return plan.report.filter(isBack).flatMap(({ field, before }): UndoIdentifier[] => {
    const [name, key] = [identifierNames.find((identifier) => identifier === field), keyOf(field, before)];
    if (name === undefined || typeof before !== 'string' || held.has(key) || sought.has(key)) return [];
    sought.add(key);
    return [{ name, text: before }];
  });
}

/** Items as they were read in a look, none of them older than what is recorded. */
class CurrentItems {
  readonly items = new Map<number, UndoItem>();
  readonly #findItems: UndoService['findItems'];
  readonly #recorded: RecordedChanges;
  /** The revision that was recorded of an item when it was read. */
  readonly #known = new Map<number, number>();

  constructor({ findItems }: UndoService, recorded: RecordedChanges) {
    this.#findItems = findItems;
    this.#recorded = recorded;
  }

  /** @param wanted gives the items as they are known by then */
  async read(wanted: () => readonly number[]): Promise<void> {
    const dueNow = () => [...new Set(wanted())].filter((id) => this.#isDue(id));
    for (let due = dueNow(); due.length > 0; due = dueNow()) {
      for (const id of due) this.#known.set(id, this.#recorded.revisions.get(id) ?? 0);
      for (const id of due) this.items.delete(id);
      for (const item of await this.#findItems(due)) this.items.set(item.id, item);
      await this.#recorded.read();
    }
  }

  /** Whether an item was not read, or a change was recorded since that is newer than it. */
  #isDue(id: number): boolean {
    const [before, now] = [this.#known.get(id), this.#recorded.revisions.get(id) ?? 0];
    return before === undefined || now > Math.max(before, this.items.get(id)?.revision ?? now);
  }
}
