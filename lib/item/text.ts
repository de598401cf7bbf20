/** The length of a text in Unicode code points, as all length limits count (an emoji of one code point is one). */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Whether a text has C0, C1 or delete characters, which no name or code on a printed proposal can show. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text);
