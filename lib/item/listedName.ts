import { limits } from './limits.ts';

/**
 * A text without regard to case and accents, as names are listed and searched. Every character folds by itself, so that
 * the beginning of a text folds to the beginning of the folded text. JavaScript would write a Greek sigma as ς at the end
 * of a word.
 */
export const fold = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');

/** Whether a name begins with a text, without regard to case and accents. */
export const beginsWith = (name: string, text: string): boolean => fold(name).startsWith(fold(text));

const encoder = new TextEncoder();
const longest = new Uint8Array(limits.listedName);

/**
 * The name under which an item is listed: folded, and cut to what the list can hold, in whole characters. Names are cut
 * all at the same length, so the beginning of a name is listed under the beginning of its listed name.
 */
export function listedName(name: string): string {
  const folded = fold(name);
  return folded.slice(0, encoder.encodeInto(folded, longest).read);
}
