import { limits } from './limits.ts';

/**
 * Removes what lists and searches ignore: case, accents, characters that are not drawn, and extra blanks. Some letters,
 * such as ß and SS, are only equal in upper case. Each character folds independently of those after it, unlike a final
 * Greek sigma in JavaScript, so that the beginning of a text yields the beginning of the folded text.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(/\s+/g, ' ')
    .trim();

export const beginsWith = (name: string, text: string): boolean => fold(name).startsWith(fold(text));

const encoder = new TextEncoder();
const longest = new Uint8Array(limits.listedName);

/** Truncates a folded name to fit the sort key, at a character boundary. */
const truncate = (folded: string): string => folded.slice(0, encoder.encodeInto(folded, longest).read);

/** All names are truncated at one length, so a beginning of a name still yields a beginning of its listed name. */
export const listedName = (name: string): string => truncate(fold(name));
