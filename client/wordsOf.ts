/** The words of a text, without what the service ignores in names: case, accents, characters that are not drawn. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .toUpperCase() // ß and SS are only equal in upper case
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .match(/[\p{L}\p{N}]+/gu) ?? [];
