import { customKey } from '../../lib/item/customName.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import type { Schemas } from '../http/catalogClient.ts';
import { ItemWrites, type KeptWrites } from '../storage/ranges.ts';

/** Which changes to undo. Fields are named as in a file of items: `value`, `metadata.color`, or `metadata` for all keys. */
export interface UndoTarget {
  readonly users: readonly string[];
  /** When they were written (`updated_at`, to the second): from the second of the one time to before the other one. */
  readonly from: Date;
  readonly to: Date;
  readonly kinds?: readonly Schemas['Change']['kind'][] | undefined;
  readonly items?: readonly number[] | undefined;
  readonly fields?: readonly string[] | undefined;
  /** Of the items in it only these writes, as an import has noted them: `{ 4: [[7, 9]] }` is revision 4 of items 7 to 9. */
  readonly writes?: KeptWrites | undefined;
}

export interface UndoSelection extends UndoTarget {
  /** The `writes`. An item that is not among them is selected by the times alone. */
  readonly known?: ItemWrites | undefined;
}

/** Whether a name is that of a field, or of a key of metadata. */
export const isField = (name: string): boolean =>
  customKey(name) !== undefined || fieldNames.some((field) => field === name);

export const hasNotPassed = () => new RangeError('An undo ends at a later time, which has passed.');

/** @throws RangeError if the target does not end at a later time than it begins, or names a field that there is not */
export function selectionOf(target: UndoTarget): UndoSelection {
  const unknown = target.fields?.find((name) => !isField(name));
  if (unknown !== undefined) throw new RangeError(`There is no field ${unknown}.`);
  if (!(+target.from < +target.to)) throw hasNotPassed();
  return { ...target, known: new ItemWrites(target.writes) };
}
