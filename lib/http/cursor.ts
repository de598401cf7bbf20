import type { Place } from '../catalog/catalogReader.ts';
import { limits } from '../item/limits.ts';

/** A place in a list as clients hold it. It is no secret: a place is always one in the caller's own list. */
export const cursorOf = ({ name, id }: Place): string => Buffer.from(`${id} ${name}`).toString('base64url');

/** More characters than the longest cursor has. */
const maxLength = 2 * limits.listedName;

/** The place that a cursor stands for; undefined for a text that is no cursor. */
export function placeAt(cursor: string): Place | undefined {
  if (cursor.length > maxLength) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, digits, name = ''] = /^([1-9][0-9]{0,15}) (.*)$/s.exec(text) ?? [];
  const place = { name, id: Number(digits) };
  const isPlace = Number.isSafeInteger(place.id) && Buffer.byteLength(name) <= limits.listedName;
  // A cursor that was changed may decode to a place, but only the form that was given out encodes it.
  return isPlace && cursorOf(place) === cursor ? place : undefined;
}
