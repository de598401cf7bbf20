import type { Place } from '../catalog/catalogReader.ts';
import { limits } from '../item/limits.ts';

/**
 * Encodes a place in a list for clients. It needs no encryption, because a place always refers to the caller's own
 * list.
 */
export const cursorOf = ({ name, id }: Place): string => Buffer.from(`${id} ${name}`).toString('base64url');

/** Upper bound on the length of a cursor, in characters. */
const maxLength = 2 * limits.listedName;

/** Decodes a cursor. Returns undefined for a text that is not a cursor. */
export function placeAt(cursor: string): Place | undefined {
  if (cursor.length > maxLength) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, digits, name = ''] = /^([1-9][0-9]{0,15}) (.*)$/s.exec(text) ?? [];
  const place = { name, id: Number(digits) };
  const isPlace = Number.isSafeInteger(place.id) && Buffer.byteLength(name) <= limits.listedName;
  // A modified cursor may still decode to a place. Accept only the exact text that we would encode.
  return isPlace && cursorOf(place) === cursor ? place : undefined;
}
