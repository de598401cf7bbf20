import { inspect } from 'node:util';

/**
 * A text of one line in which nothing is left that a terminal obeys, hides or reorders: control characters, format
 * characters (zero-width, bidirectional), and separators of lines and paragraphs are shown as JSON escapes them.
 */
export const escaped = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => character.split('').map(escapedUnit).join(''));

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The same of a text of several lines. JSON stays the same JSON. */
const printable = (text: string): string => text.split('\n').map(escaped).join('\n');

/** Prints the output of a command, in which there may be text of callers. */
export const print = (text: string): void => console.log(printable(text));

/** Prints messages for the person who runs a command, and errors with their stack traces. */
export const printError = (...parts: readonly unknown[]): void =>
  console.error(printable(parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ')));
