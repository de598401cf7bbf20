import { type FieldProblem, identifierNames } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';
import { parts } from '../../../lib/item/lists.ts';
import { planUndo } from './planUndo.ts';
import { holdersIn, identifierKey } from './planUpdates.ts';
import { RecordedChanges } from './recordedChanges.ts';
import { summaryOf, type UndoGroup } from './summary.ts';
import {
  type FieldReport,
  isBack,
  type RecordedState,
  type UndoCatalog,
  type UndoChange,
  type UndoIdentifier,
  type UndoItem,
  type UndoPlan,
  type UndoRow,
  type UndoSelection,
  writeKey,
} from './undoPlan.ts';

/** What an undo needs of the service. */
export interface UndoService {
  /**
   * The next changes as they were recorded, beginning before the first that is selected. None if there are no more for now.
   * @param pause milliseconds to wait before
   */
  readonly nextChanges: (pause: number) => Promise<readonly UndoChange[]>;
  /** @param ids at most as many as a page has */
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
  /** The writes of earlier undos, as `writeKey` has them. */
  readonly undone: ReadonlySet<string>;
  /** Adds an update that the undo has made, with the revision that the item got. */
  readonly add: (id: number, revision: number) => void;
}

export interface UndoPreview extends RecordedState {
  /** What would be done with each field. */
  readonly report: readonly FieldReport[];
  readonly summary: readonly UndoGroup[];
}

export interface UndoProgress extends RecordedState {
  /** What is done with each field, as of the last look at the items. */
  readonly report: readonly FieldReport[];
  /** Why items could not be updated, by their ids. */
  readonly rejected: ReadonlyMap<number, string>;
  /** How many updates were made by this call. */
  readonly updates: number;
  /** How many follow, as of the last look, and at least 1 while changes may be missing. The undo is done when it says 0. */
  readonly left: number;
}

/** How often an item is looked at again that somebody else has written each time. */
const maxRefusals = 20;

/** Undoes changes by updates, each under the revision that was looked at. */
export class UndoRun {
  readonly #selection: UndoSelection;
  readonly #service: UndoService;
  readonly #journal: UndoJournal;
  readonly #recorded: RecordedChanges;
  /** The updates that were made, as `writeKey` has them, and the last revision that each item got by them. */
  readonly #made = new Set<string>();
  readonly #madeLast = new Map<number, number>();
  /** Why items could not be updated, and the revisions at which they were refused. */
  readonly #rejected = new Map<number, string>();
  readonly #refusals = new Map<number, readonly number[]>();
  /** The items that have an identifier which is to go back. */
  readonly #holders = new Set<number>();
  #report: readonly FieldReport[] = [];

  constructor(
    selection: UndoSelection,
    service: UndoService,
    journal: UndoJournal,
    onProgress: (state: RecordedState) => void = () => {},
  ) {
    this.#selection = selection;
    this.#journal = journal;
    this.#service = service;
    this.#recorded = new RecordedChanges(selection, service.nextChanges, onProgress);
  }

  /** Plans what the undo would do, once the writes that are known are recorded. */
  async preview(): Promise<UndoPreview> {
    await this.#recorded.waitForKnown();
    const { report } = await this.#look(this.#recorded.items);
    return { ...this.#recorded.state, report, summary: summaryOf(report) };
  }

  /**
   * Undoes until nothing is left, and the changes that the undo has made are recorded: then those before them are, too. Can
   * be interrupted at any time, and repeated with the same journal.
   * @returns the progress: the first before anything is written, the last when nothing is left, or nothing is recorded
   */
  async *start(): AsyncGenerator<UndoProgress, void> {
    const recorded = this.#recorded;
    await recorded.waitForKnown();
    /** The items that had something to put back in the last look. All are looked at in the first look, and in the last. */
    let open: ReadonlySet<number> | undefined;
    for (;;) {
      const looked = open ?? recorded.items;
      const { steps, report } = await this.#look(looked);
      this.#report = [...this.#report.filter(({ item }) => !looked.has(item)), ...report];
      const left = steps.flat().length;
      const isLast = left === 0 && open === undefined;
      const isDone = isLast && recorded.isEnough(this.#madeLast);
      if (left > 0 || isLast) yield this.#progress(isDone ? 0 : Math.max(left, 1));
      if (isDone) return;
      if (isLast) await recorded.waitForMore(this.#madeLast);
      open = left === 0 ? undefined : new Set(report.filter(isBack).map(({ item }) => item));
      yield* this.#send(steps, left);
    }
  }

  #progress(left: number): UndoProgress {
    const rejected = new Map(this.#rejected);
    return { ...this.#recorded.state, report: this.#report, rejected, updates: this.#made.size, left };
  }

  /** Plans for some items: looks at them, and then at those that have the identifiers which are to go back. */
  async #look(only: ReadonlySet<number>): Promise<UndoPlan> {
    const current = new CurrentItems(this.#service, this.#recorded);
    const sought = new Set<string>();
    for (;;) {
      await current.read(() => [...only, ...this.#holders]);
      const plan = planUndo({
        selection: this.#selection,
        rejected: this.#rejected,
        made: this.#made,
        items: current.items,
        changes: this.#recorded.of(only),
        catalog: await this.#service.loadCatalog(),
        undone: this.#journal.undone,
      });
      const { size } = this.#holders;
      const identifiers = unheldIn(plan, current.items).filter(({ key }) => !sought.has(key));
      for (const { key } of identifiers) sought.add(key);
      for (const { id } of await this.#service.findHolders(identifiers)) this.#holders.add(id);
      if (this.#holders.size === size) return plan;
    }
  }

  /** Sends the steps of a plan, and leaves those that depend on a row which was refused. */
  async *#send(steps: UndoPlan['steps'], planned: number): AsyncGenerator<UndoProgress, void> {
    let left = planned;
    for (const step of steps) {
      const made = this.#made.size;
      for await (const sent of this.#service.send(step)) {
        left -= sent.length;
        for (const { row, error } of sent)
          if (error === undefined) this.#addMade(row);
          else this.#refuse(row, error);
        if (left > 0) yield this.#progress(left);
      }
      if (this.#made.size < made + step.length) return;
    }
  }

  #addMade({ id, revision }: UndoRow): void {
    this.#made.add(writeKey(id, revision + 1));
    this.#madeLast.set(id, revision + 1);
    this.#journal.add(id, revision + 1);
  }

  /** The next look shows what has changed. If that is nothing, or always something, it would be refused for ever. */
  #refuse({ id, revision }: UndoRow, error: Refusal): void {
    const before = this.#refusals.get(id) ?? [];
    this.#refusals.set(id, [...before, revision]);
    const isRepeated = error.code !== 'PRECONDITION_FAILED' && before.includes(revision);
    if (isRepeated || before.length === maxRefusals) this.#rejected.set(id, reasonOf(error));
  }
}

const reasonOf = ({ message, fields = [] }: Refusal): string =>
  fields.map(({ field, reason }) => `${field} ${reason}`).join('; ') || message;

/** The identifiers that go back, and that no known item has. */
function unheldIn({ report }: UndoPlan, items: ReadonlyMap<number, UndoItem>) {
  const held = holdersIn(items);
  return report.filter(isBack).flatMap(({ field, before }): (UndoIdentifier & { key: string })[] => {
    const name = identifierNames.find((identifier) => identifier === field);
    const key = identifierKey(field, before);
    return name === undefined || typeof before !== 'string' || held.has(key) ? [] : [{ name, text: before, key }];
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
      for (const id of due) {
        this.#known.set(id, this.#recorded.revisions.get(id) ?? 0);
        this.items.delete(id);
      }
      for (const some of parts(due, limits.page.max))
        for (const item of await this.#findItems(some)) this.items.set(item.id, item);
      await this.#recorded.read();
    }
  }

  /** Whether an item was not read, or a change was recorded since that is newer than it. */
  #isDue(id: number): boolean {
    const before = this.#known.get(id);
    const now = this.#recorded.revisions.get(id) ?? 0;
    return before === undefined || now > Math.max(before, this.items.get(id)?.revision ?? now);
  }
}
