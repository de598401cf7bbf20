/** The length of a text in Unicode code points, which is how all length limits count. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** C0, C1 and delete characters, written as a regular expression character class that works in every language. */
export const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`;

const control = new RegExp(`[${controlCharacters}]`);

/** Whether a text has control characters, which cannot be printed in a name or identifier on a proposal. */
export const hasControlCharacters = (text: string): boolean => control.test(text);

/** Whether a text has format characters, such as zero-width ones, which let two different texts look alike. */
export const hasFormatCharacters = (text: string): boolean => /\p{Cf}/u.test(text);

/**
 * Whether a text has a visible character: no white space, format character, or one that fonts do not draw, such as
 * fillers, variation selectors, and the Braille blank, although Unicode calls it a symbol.
 */
export const hasVisibleCharacters = (text: string): boolean =>
  /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);

/** Identifiers are stored and compared trimmed and in NFC. A blank one becomes null (spec table 2.1). */
export const canonicalIdentifier = (sent: string): string | null => sent.trim().normalize('NFC') || null;
