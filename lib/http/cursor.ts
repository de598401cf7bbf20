import type { ListPosition } from '../catalog/catalogReader.ts';
import { limits } from '../item/limits.ts';

/** Encodes a position in a list for clients. It needs no encryption, because the list is always the caller's own. */
export const encodeCursor = ({ name, id }: ListPosition): string => Buffer.from(`${id} ${name}`).toString('base64url');

const maxLength = 2 * limits.listedName;

/** Decodes a cursor. Returns undefined for a text that is not a cursor. */
export function parseCursor(cursor: string): ListPosition | undefined {
  if (cursor.length > maxLength) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, digits, name = ''] = /^([1-9][0-9]{0,15}) (.*)$/s.exec(text) ?? [];
  const position = { name, id: Number(digits) };
  const isPosition = Number.isSafeInteger(position.id) && Buffer.byteLength(name) <= limits.listedName;
  // A modified cursor may still decode to a position. Accept only the exact text that we would encode.
  return isPosition && encodeCursor(position) === cursor ? position : undefined;
}
