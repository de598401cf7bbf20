import { identifierNames } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';
import { parts } from '../../../lib/item/lists.ts';
import type { Item, Schemas } from '../../http/catalogClient.ts';
import { ItemWrites } from '../../storage/ranges.ts';
import type { UndoSelection } from '../undoTarget.ts';
import { planUndo } from './planUndo.ts';
import { holdersIn, identifierKey } from './planUpdates.ts';
import { RecordedChanges } from './recordedChanges.ts';
import type { AccountCatalog, FieldReport, RecordedState, UndoIdentifier, UndoPlan, UndoRow } from './undoPlan.ts';
import { isBack, summaryOf, type UndoGroup } from './undoPlan.ts';

/** What an undo needs of the service. */
export interface UndoService {
  /**
   * The next changes as they were recorded, beginning before the first that is selected. None if there are no more for now.
   * @param pause milliseconds to wait before
   */
  readonly nextChanges: (pause: number) => Promise<readonly Schemas['Change'][]>;
  /** @param ids at most as many as a page has */
  readonly findItems: (ids: readonly number[]) => Promise<readonly Item[]>;
  /** The items that have these identifiers. */
  readonly findHolders: (identifiers: readonly UndoIdentifier[]) => Promise<readonly Item[]>;
  readonly loadCatalog: () => Promise<AccountCatalog>;
  /** Sends updates. They are all answered when it ends. */
  readonly send: (rows: readonly UndoRow[]) => AsyncIterable<readonly SentRow[]>;
}

export interface SentRow {
  readonly row: UndoRow;
  readonly error?: Schemas['RowError'] | undefined;
}

export interface UndoPreview extends RecordedState {
  /** What would be done with each field. */
  readonly report: readonly FieldReport[];
  readonly summary: readonly UndoGroup[];
}

export interface UndoProgress extends RecordedState {
  /** The result of each field, as of the last read of the items. */
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
  readonly #undone: ItemWrites;
  readonly #recorded: RecordedChanges;
  readonly made = new ItemWrites();
  #updates = 0;
  /** Why items could not be updated, and the revisions at which they were refused. */
  readonly #rejected = new Map<number, string>();
  readonly #refusals = new Map<number, readonly number[]>();
  /** The items that have an identifier which is to go back. */
  readonly #holders = new Set<number>();
  #report: readonly FieldReport[] = [];

  /** @param undone the writes of earlier undos */
  constructor(
    selection: UndoSelection,
    service: UndoService,
    undone = new ItemWrites(),
    onProgress?: (state: RecordedState) => void,
  ) {
    this.#selection = selection;
    this.#undone = undone;
    this.#service = service;
    this.#recorded = new RecordedChanges(selection, service.nextChanges, onProgress);
  }

  /** Plans what the undo would do, once the writes that are known are recorded. */
  async preview(): Promise<UndoPreview> {
    await this.#recorded.waitForKnown();
    const { report } = await this.#plan(this.#recorded.items);
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
      const { steps, report } = await this.#plan(looked);
      this.#report = [...this.#report.filter(({ item }) => !looked.has(item)), ...report];
      const left = steps.flat().length;
      const isLast = left === 0 && open === undefined;
      const isDone = isLast && recorded.isEnough(this.made);
      if (left > 0 || isLast) yield this.#progress(isDone ? 0 : Math.max(left, 1));
      if (isDone) return;
      if (isLast) await recorded.waitForMore(this.made);
      open = left === 0 ? undefined : new Set(report.filter(isBack).map(({ item }) => item));
      yield* this.#send(steps, left);
    }
  }

  #progress(left: number): UndoProgress {
    const rejected = new Map(this.#rejected);
    return { ...this.#recorded.state, report: this.#report, rejected, updates: this.#updates, left };
  }

  /** Plans for some items: looks at them, and then at those that have the identifiers which are to go back. */
  async #plan(only: ReadonlySet<number>): Promise<UndoPlan> {
    const items = new Map<number, Item>();
    const seen = new Map<number, number>();
    const sought = new Set<string>();
    for (;;) {
      await this.#readItems([...new Set([...only, ...this.#holders])], items, seen);
      const plan = planUndo({
        selection: this.#selection,
        rejected: this.#rejected,
        made: this.made,
        items,
        changes: this.#recorded.of(only),
        catalog: await this.#service.loadCatalog(),
        undone: this.#undone,
      });
      const { size } = this.#holders;
      const identifiers = unheldIn(plan, items).filter(({ key }) => !sought.has(key));
      for (const { key } of identifiers) sought.add(key);
      for (const { id } of await this.#service.findHolders(identifiers)) this.#holders.add(id);
      if (this.#holders.size === size) return plan;
    }
  }

  /**
   * Reads items until none of them is older than what is recorded.
   * @param seen the latest known revision of each item when it was read
   */
  async #readItems(ids: readonly number[], items: Map<number, Item>, seen: Map<number, number>): Promise<void> {
    const recordedOf = (id: number) => this.#recorded.revisions.get(id) ?? 0;
    const findDue = () => ids.filter((id) => recordedOf(id) > (seen.get(id) ?? -1));
    for (let due = findDue(); due.length > 0; due = findDue()) {
      for (const id of due) items.delete(id);
      for (const some of parts(due, limits.page.max))
        for (const item of await this.#service.findItems(some)) items.set(item.id, item);
      for (const id of due) seen.set(id, Math.max(recordedOf(id), items.get(id)?.revision ?? Number.POSITIVE_INFINITY));
      await this.#recorded.read();
    }
  }

  /** Sends the steps of a plan, and leaves those that depend on a row which was refused. */
  async *#send(steps: UndoPlan['steps'], planned: number): AsyncGenerator<UndoProgress, void> {
    let left = planned;
    for (const step of steps) {
      const made = this.#updates;
      for await (const sent of this.#service.send(step)) {
        left -= sent.length;
        for (const { row, error } of sent)
          if (error !== undefined) this.#refuse(row, error);
          else {
            this.#updates += 1;
            this.made.add(row.id, row.revision + 1);
          }
        if (left > 0) yield this.#progress(left);
      }
      if (this.#updates < made + step.length) return;
    }
  }

  /** The next look shows what has changed. If that is nothing, or always something, it would be refused for ever. */
  #refuse({ id, revision }: UndoRow, error: Schemas['RowError']): void {
    const before = this.#refusals.get(id) ?? [];
    this.#refusals.set(id, [...before, revision]);
    const isRepeated = error.code !== 'PRECONDITION_FAILED' && before.includes(revision);
    if (isRepeated || before.length === maxRefusals) this.#rejected.set(id, reasonOf(error));
  }
}

const reasonOf = ({ message, fields = [] }: Schemas['RowError']): string =>
  fields.map(({ field, reason }) => `${field} ${reason}`).join('; ') || message;

/** The identifiers that go back, and that no known item has. */
function unheldIn({ report }: UndoPlan, items: ReadonlyMap<number, Item>) {
  const held = holdersIn(items);
  return report.filter(isBack).flatMap(({ field, before }): (UndoIdentifier & { key: string })[] => {
    const name = identifierNames.find((identifier) => identifier === field);
    const key = identifierKey(field, before);
    return name === undefined || typeof before !== 'string' || held.has(key) ? [] : [{ name, text: before, key }];
  });
}
