/** The length of a text in Unicode code points, as all length limits count (an emoji of one code point is one). */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Whether a text has C0, C1 or delete characters, which no name or code on a printed proposal can show. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether a text has format characters, as zero-width and bidirectional ones, which make two texts look alike. */
export const hasFormatCharacters = (text: string): boolean => /\p{Cf}/u.test(text);

/**
 * Whether a person sees anything of a text: something other than white space, format characters, and those that fonts
 * leave out, as fillers and variation selectors. The blank of Braille is empty too, though Unicode counts it as a symbol.
 */
export const hasVisibleCharacters = (text: string): boolean =>
  /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
