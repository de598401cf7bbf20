/** The length of a text in Unicode code points, as all length limits count (an emoji of one code point is one). */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** C0, C1 and delete characters, as they stand within the brackets of a regular expression of any language. */
export const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`;

const control = new RegExp(`[${controlCharacters}]`);

/** Whether a text has control characters, which no name or identifier on a printed proposal can show. */
export const hasControlCharacters = (text: string): boolean => control.test(text);

/** Whether a text has format characters, as zero-width and bidirectional ones, which make two texts look alike. */
export const hasFormatCharacters = (text: string): boolean => /\p{Cf}/u.test(text);

/**
 * Whether a person sees anything of a text: something other than white space, format characters, and those that fonts
 * leave out, as fillers and variation selectors. The blank of Braille is empty too, though Unicode counts it as a symbol.
 */
export const hasVisibleCharacters = (text: string): boolean =>
  /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
