import type { ListPosition } from '../catalog/catalogStore.ts';
import { limits } from '../item/limits.ts';

/** Encodes a position in a list for clients. It needs no encryption, because the list is always the caller's own. */
export const encodeCursor = ({ name, id }: ListPosition): string => Buffer.from(`${id} ${name}`).toString('base64url');

/** Decodes a cursor. Returns undefined for a text that is not a cursor. */
export function parseCursor(cursor: string): ListPosition | undefined {
  if (cursor.length > 2 * limits.listedName) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, digits, name = ''] = /^([1-9][0-9]{0,15}) (.*)$/s.exec(text) ?? [];
  const position = { name, id: Number(digits) };
  // A modified cursor may still decode to a position. Accept only the exact text that we would encode.
  return Number.isSafeInteger(position.id) && encodeCursor(position) === cursor ? position : undefined;
}

/**
 * Encodes a position in a list of items, and the order of that list. Earlier versions, which serve beside this one during
 * a deployment, take the order for the end of the name. They still continue at the same item, because the index sorts by
 * the name, a tab and 16 digits of the id: upwards behind this id, downwards behind the one before it.
 */
export function encodeItemCursor({ name, id }: ListPosition, isDescending: boolean): string {
  const digits = String(isDescending ? id - 1 : id).padStart(16, '0');
  return encodeCursor({ name: `${name}\t${digits}${isDescending ? '-' : '+'}`, id });
}

export interface ItemCursor extends ListPosition {
  /** Undefined for a cursor of an earlier version. */
  readonly isDescending: boolean | undefined;
}

/** Reads the cursor of a list of items. Returns undefined if its name is too long for one. */
export function itemCursor({ name, id }: ListPosition): ItemCursor | undefined {
  const [, ownName = name, mark] = /^([^\t]*)\t\d{16}([+-])$/.exec(name) ?? [];
  const isDescending = mark === undefined ? undefined : mark === '-';
  return Buffer.byteLength(ownName) <= limits.listedName ? { name: ownName, id, isDescending } : undefined;
}

/** A place among the changes of an item, which their cursors have in place of a name. */
export const placeForm = /^\d{40}$/;

/** Whether a cursor is that of a list of changes, or that of an earlier version for an item with such a name. */
export const mayBeOfChanges = ({ name, isDescending }: ItemCursor): boolean =>
  isDescending === undefined && (name === '' || placeForm.test(name));
