/** Letters of scripts that have no blanks between words. */
const unspaced = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const word = new RegExp(String.raw`(?:(?!${unspaced})[\p{L}\p{N}])+|[\p{L}\p{N}]`, 'gu');

/**
 * The words of a text, of scripts without blanks its letters, without what the service ignores in names: case, accents,
 * characters that are not drawn.
 */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .toUpperCase() // ß and SS are only equal in upper case
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .match(word) ?? [];
