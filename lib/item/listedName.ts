import { limits } from './limits.ts';

/**
 * Removes case and accents, as lists and searches ignore both. Each character must fold independently, so that folding
 * a prefix yields a prefix of the folded text. JavaScript lowercases a final Greek sigma to ς, which would break that.
 */
export const fold = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');

/** Whether a name starts with a text, ignoring case and accents. */
export const beginsWith = (name: string, text: string): boolean => fold(name).startsWith(fold(text));

const encoder = new TextEncoder();
const longest = new Uint8Array(limits.listedName);

/**
 * The name under which an item is listed: folded, then truncated at a character boundary to fit the sort key. All names
 * are truncated at the same length, so a prefix of a name still yields a prefix of its listed name.
 */
export function listedName(name: string): string {
  const folded = fold(name);
  return folded.slice(0, encoder.encodeInto(folded, longest).read);
}
