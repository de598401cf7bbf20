import type { presentCatalog } from '../../http/catalogPresenter.ts';
import type { PresentedItem } from '../../http/presenter.ts';
import type { Json, JsonObject } from '../../item/json.ts';
import type { presentChange } from '../presentChange.ts';

/** Which changes to undo. Fields are named as in a file of items: `value`, `metadata.color`, or `metadata` for all keys. */
export interface UndoSelection {
  readonly users: readonly string[];
  /** The numbers of the first and the last change, fixed at the first look: the undo's own changes come after them. */
  readonly first: number;
  readonly last: number;
  readonly kinds?: readonly string[];
  readonly items?: readonly number[];
  readonly fields?: readonly string[];
}

/** An update of an item under the revision that was looked at, as a row of a batch. */
export type UndoRow = JsonObject & { readonly id: number; readonly revision: number };

/** What a plan is made from, as the API shows it. */
export interface UndoLook {
  readonly selection: UndoSelection;
  /** The items with selected changes, unless they were removed, and those that are said to have an identifier (409). */
  readonly items: ReadonlyMap<number, PresentedItem>;
  /**
   * All changes of these items from the first selected one on, by anybody, read after the items: they also say who has
   * changed a field since. What somebody changes and changes back before that is recorded, within seconds, is not seen.
   */
  readonly changes: readonly ReturnType<typeof presentChange>[];
  readonly catalog: Pick<ReturnType<typeof presentCatalog>, 'categories' | 'units'>;
  /** Who undoes. */
  readonly user: string;
  readonly freed: UndoPlan['freed'];
}

/** What becomes of a field, or why it stays. */
export interface FieldReport {
  readonly item: number;
  readonly field: string;
  readonly result:
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
    | 'identifier taken';
  /** The number of the first change of the run. */
  readonly number: number;
  /** The values before the run, after it, and now. Null for none, and undefined if they were not kept. */
  readonly before: Json | undefined;
  readonly given: Json | undefined;
  readonly now: Json;
  /** Who has changed it since, and when. */
  readonly by?: string;
  readonly at?: string;
  /** The item that has the identifier, or gets it. */
  readonly holder?: number | undefined;
}

export interface UndoPlan {
  readonly report: readonly FieldReport[];
  /**
   * Identifiers that the undo takes from items for a moment, so that others can have them, with the revision at which they
   * have them. To be kept with the selection before a row is sent, and given to the next plan.
   */
  readonly freed: readonly UndoRow[];
  /** The rows of a step can be sent together, once those of the step before are answered. */
  readonly steps: readonly (readonly UndoRow[])[];
}
