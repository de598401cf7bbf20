import type { IdentifierName } from '../../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../../lib/item/json.ts';
import { groupBy } from '../../../lib/item/lists.ts';
import type { Catalog, Item, Schemas } from '../../http/catalogClient.ts';
import type { ItemWrites } from '../../storage/ranges.ts';
import type { UndoSelection } from '../undoTarget.ts';

/** An update of an item under the revision that was looked at, as a row of a batch. */
export type UndoRow = JsonObject & { readonly id: number; readonly revision: number };

export interface UndoIdentifier {
  readonly name: IdentifierName;
  readonly text: string;
}

/** What a plan is made from, as the API shows it. */
export interface PlanInput {
  readonly selection: UndoSelection;
  /** The items with selected changes, unless they were removed, and those that have an identifier which is to go back. */
  readonly items: ReadonlyMap<number, Item>;
  /**
   * All changes of these items from the first selected one on, by anybody, none newer than its item: they also say who
   * has changed a field since. What somebody changes and changes back before that is recorded, within seconds, is not
   * seen yet, and goes back once it is.
   */
  readonly changes: readonly Schemas['Change'][];
  /** The writes of this undo, and those of earlier undos of other changes. */
  readonly made: ItemWrites;
  readonly undone: ItemWrites;
  /** The items that the service refuses to update. */
  readonly rejected: ReadonlyMap<number, string>;
  readonly catalog: AccountCatalog;
}

export type AccountCatalog = Pick<Catalog, 'categories' | 'units'>;

/** The result of a field, or why it stays. */
export type Outcome =
  | 'put back'
  | 'right already'
  | 'changed since'
  | 'created, and written since'
  | 'item removed'
  | 'too large to be kept'
  | 'category archived'
  | 'unit unknown'
  | 'would be rounded'
  | 'too many keys'
  | 'identifier taken'
  | 'refused';

export interface FieldReport {
  readonly item: number;
  readonly field: string;
  /** Whether it goes back with the creation of the item. */
  readonly isCreated: boolean;
  readonly result: Outcome;
  /** The number of the first change of the run. */
  readonly number: number;
  /** The values before the run, after it, and now. Null for none, and undefined if they were not kept. */
  readonly before: Json | undefined;
  readonly given: Json | undefined;
  readonly now: Json;
  /** Who has changed it since, and when, if that is known. */
  readonly by?: string | undefined;
  readonly at?: string | undefined;
  /** The item that has the identifier, or gets it. */
  readonly holder?: number | undefined;
}

export const isBack = ({ result }: FieldReport): boolean => result === 'put back';

/** Equal results, of new items or of a field of others: "11 new items become inactive", "3 prices go back". */
export interface UndoGroup {
  /** The field. Undefined if the group is of items that the selected changes created. */
  readonly field: string | undefined;
  readonly result: Outcome;
  /** Who has changed it since, if that is why it stays. */
  readonly by: string | undefined;
  /** How many items there are in the group. */
  readonly count: number;
}

/** Sums up a report, for a sentence: what goes back is first, and new items are before fields. */
export function summaryOf(report: readonly FieldReport[]): readonly UndoGroup[] {
  const [created, others] = [true, false].map((is) => report.filter(({ isCreated }) => isCreated === is));
  const items = [...groupBy(created ?? [], ({ item }) => item).values()];
  // An item becomes inactive if one of its fields goes back.
  const entries = [...items.flatMap((fields) => fields.find(isBack) ?? fields[0] ?? []), ...(others ?? [])];
  const groups = entries.map(({ isCreated, field, result, by }) => ({
    field: isCreated ? undefined : field,
    result,
    by,
  }));
  const counted = [...groupBy(groups, (group) => JSON.stringify(group)).values()];
  return counted
    .flatMap((same) => same.slice(0, 1).map((group) => ({ ...group, count: same.length })))
    .toSorted((a, b) => Number(b.result === 'put back') - Number(a.result === 'put back'));
}

export interface UndoPlan {
  readonly report: readonly FieldReport[];
  /** The rows of a step can be sent together, once those of the step before are answered. */
  readonly steps: readonly (readonly UndoRow[])[];
}

/** How far the changes are recorded. */
export interface RecordedState {
  /** When the latest recorded write was done (`updated_at`). What was written later may be missing. */
  readonly newestWrite: string | undefined;
  /** How many changes were read. */
  readonly changes: number;
  /** How many items are known to be written, as by an import, and of how many that is recorded: "7 of 13". */
  readonly known: number;
  readonly recorded: number;
}
