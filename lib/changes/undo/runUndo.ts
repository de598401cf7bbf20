import { identifierNames } from '../../item/fields.ts';
import { holdersIn, isBack, keyOf } from './planRows.ts';
import { isSelected, planUndo } from './planUndo.ts';
import type {
  FieldReport,
  UndoCatalog,
  UndoChange,
  UndoIdentifier,
  UndoItem,
  UndoPlan,
  UndoRow,
  UndoSelection,
} from './undo.ts';

/** What an undo needs of the service. */
export interface UndoService {
  /** The next changes, beginning with the first that is selected. None if there are no more for now. */
  readonly nextChanges: () => Promise<readonly UndoChange[]>;
  readonly findItems: (ids: readonly number[]) => Promise<readonly UndoItem[]>;
  /** The items that have these identifiers. */
  readonly findHolders: (identifiers: readonly UndoIdentifier[]) => Promise<readonly UndoItem[]>;
  readonly loadCatalog: () => Promise<UndoCatalog>;
  /** Sends updates. They are all answered when it ends. */
  readonly send: (rows: readonly UndoRow[], report: readonly FieldReport[]) => AsyncIterable<readonly SentRow[]>;
}

export interface SentRow {
  readonly row: UndoRow;
  /** Why it was refused. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly fields?: readonly { readonly field: string; readonly reason: string }[] | undefined;
  };
}

/** Keeps the identifiers that an undo takes from items for a moment, so that it can go on when it was interrupted. */
export interface UndoNote {
  readonly freed: UndoPlan['freed'];
  readonly keep: (freed: UndoPlan['freed']) => void;
}

export interface UndoProgress {
  /** What is done with each field, as of the last look at the items. */
  readonly report: readonly FieldReport[];
  /** Why items could not be updated, by their ids. */
  readonly rejected: ReadonlyMap<number, string>;
  /** How many updates were made by this call. */
  readonly updates: number;
  /** How many follow, as of the last look. The undo is done when it says 0. */
  readonly left: number;
}

/** How often an item is looked at again that somebody else has written each time. */
const maxRefusals = 20;

/**
 * Undoes changes by updates, each under the revision that was looked at, until nothing is left to undo. Can be
 * interrupted at any time, and repeated with the same note.
 * @returns the progress: the first before anything is written, the last when nothing is left
 */
export async function* runUndo(
  selection: UndoSelection,
  service: UndoService,
  note: UndoNote,
): AsyncGenerator<UndoProgress, void> {
  const look = lookAgain(selection, service);
  const rejected = new Map<number, string>();
  /** The revisions at which items were refused. */
  const refusals = new Map<number, readonly number[]>();
  let updates = 0;
  let report: readonly FieldReport[] = [];
  /** The items that had something to put back in the last look. All are looked at in the first look, and in the last. */
  let open: ReadonlySet<number> | undefined;
  for (;;) {
    const plan = await look(rejected, note, open);
    const others = report.filter(({ item }) => open !== undefined && !open.has(item));
    report = [...others, ...plan.report];
    const { steps } = plan;
    let left = steps.flat().length;
    const isLast = left === 0 && open === undefined;
    if (left > 0 || isLast) yield { report, rejected: new Map(rejected), updates, left };
    if (isLast) return;
    open = left === 0 ? undefined : new Set(plan.report.filter(isBack).map(({ item }) => item));
    note.keep(plan.freed);
    for (const step of steps) {
      let isComplete = true;
      for await (const sent of service.send(step, plan.report)) {
        for (const { row, error } of sent) {
          left -= 1;
          if (error === undefined) {
            updates += 1;
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
        if (left > 0) yield { report, rejected: new Map(rejected), updates, left };
      }
      // What depends on it can no longer be done.
      if (!isComplete) break;
    }
  }
}

const reasonOf = ({ message, fields = [] }: NonNullable<SentRow['error']>): string =>
  fields.map(({ field, reason }) => `${field} ${reason}`).join('; ') || message;

/** @returns plans from what is there by then. Changes that were read once are not read again */
function lookAgain(selection: UndoSelection, { nextChanges, findItems, findHolders, loadCatalog }: UndoService) {
  const selected = new Set<number>();
  const holders = new Set<number>();
  let changes: UndoChange[] = [];

  async function readChanges(): Promise<void> {
    for (let page = await nextChanges(); page.length > 0; page = await nextChanges()) {
      for (const change of page) if (isSelected(selection, change)) selected.add(change.item);
      // Until all selected ones are read, any item may be among theirs.
      changes.push(...page.filter(({ item, number }) => number <= selection.last || selected.has(item)));
    }
    changes = changes.filter(({ item }) => selected.has(item));
  }

  /** @param only the items to plan for; all if omitted */
  return async (
    without: ReadonlyMap<number, string>,
    note: UndoNote,
    only: ReadonlySet<number> = selected,
  ): Promise<UndoPlan> => {
    if (selected.size === 0) await readChanges();
    const sought = new Set<string>();
    for (;;) {
      const found = await findItems([...new Set([...only, ...holders])]);
      const items = new Map(found.map((item) => [item.id, item]));
      await readChanges();
      const own = changes.filter(({ item }) => only.has(item) && !without.has(item));
      const catalog = await loadCatalog();
      // Read last: what another tab has freed is noted before that can be seen.
      const plan = planUndo({ selection, items, changes: own, catalog, freed: note.freed });
      const held = holdersIn(items);
      const wanted = plan.report.filter(isBack).flatMap(({ field, before }): UndoIdentifier[] => {
        const name = identifierNames.find((one) => one === field);
        if (name === undefined || typeof before !== 'string' || held.has(keyOf(name, before))) return [];
        return [{ name, text: before }];
      });
      const unsought = wanted.filter(({ name, text }) => !sought.has(keyOf(name, text)));
      for (const { name, text } of unsought) sought.add(keyOf(name, text));
      const known = holders.size;
      for (const { id } of await findHolders(unsought)) holders.add(id);
      if (holders.size === known) return plan;
    }
  };
}
