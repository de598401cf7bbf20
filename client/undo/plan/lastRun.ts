import { customKey } from '../../../lib/item/customName.ts';
import type { Json } from '../../../lib/item/json.ts';
import type { UndoChange } from './undoPlan.ts';

/** A change of an item, with what it made of each field. */
export interface Write extends Omit<UndoChange, 'fields'> {
  readonly isSelected: boolean;
  /** Whether the undo has made it. Then it is selected, too. */
  readonly isByUndo: boolean;
  readonly fields: ReadonlyMap<string, UndoChange['fields'][number]>;
  /** The fields of which a change before it is missing: it has not begun with what the one before it made. */
  readonly gaps: ReadonlySet<string>;
}

/** How a changed field is named: `value`, `metadata.color`, or `metadata` for all keys. */
export const nameOf = ({ field, path }: Pick<UndoChange['fields'][number], 'field' | 'path'>): string =>
  path === undefined ? field : `${field}.${path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}`;

/** The API sorts the keys of objects. */
export const isSame = (one: Json | undefined, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * The fields whose changes interrupt a run of a field: itself; of a quantity or its unit both, because neither means
 * anything without the other; of a key of metadata also `metadata`, by which an unreadable change stands for all keys.
 */
export function partsOf(field: string): readonly string[] {
  if (isQuantity(field)) return ['qty', 'unit'];
  return isKey(field) ? [field, 'metadata'] : [field];
}

export const isKey = (field: string): boolean => customKey(field) !== undefined;

export const isQuantity = (field: string): boolean => field === 'qty' || field === 'unit';

export const isOther = ({ isSelected }: Write): boolean => !isSelected;

/**
 * Finds the last run of selected changes of a field that no missing or other change of that field interrupts. The value before
 * it is the last that others gave the field, or the one before the selection: if X makes a into b, Y makes b into c, and
 * X makes c into d, then the undo of X gives c, never a.
 * @param history an item's writes in their order. At least one is selected, and changed the field
 * @returns the run, whether something interrupts it, and the last change of the field after it by anybody else
 */
export function lastRun(history: readonly Write[], field: string) {
  const parts = partsOf(field);
  const writes = history.filter(({ fields }) => parts.some((part) => fields.has(part)));
  const last = writes.findLastIndex(({ isSelected, fields }) => isSelected && fields.has(field));
  const isAfterGap = ({ gaps }: Write) => parts.some((part) => gaps.has(part));
  const afterOther = writes.slice(0, last).findLastIndex(isOther) + 1;
  const afterGap = writes.slice(0, last + 1).findLastIndex(isAfterGap);
  const first = Math.max(afterOther, afterGap);
  const since = writes.slice(last + 1).findLast((write) => isOther(write) || isAfterGap(write));
  return { run: writes.slice(first, last + 1), since, isInterrupted: afterOther > 0 || afterGap >= 0 };
}
