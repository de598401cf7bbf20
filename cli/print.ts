import { inspect } from 'node:util';

/**
 * Makes a single line safe to print. What a terminal interprets, hides or reorders is escaped as in JSON: control
 * characters, format characters (zero-width, bidirectional), and line and paragraph separators.
 */
export const escaped = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => character.split('').map(escapedUnit).join(''));

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The same for several lines. JSON remains equivalent. */
const printable = (text: string): string => text.split('\n').map(escaped).join('\n');

/** An argument as a shell reads it. */
export const shellQuoted = (text: string): string =>
  /[^\w./-]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : text;

/** Prints a command's output, which may contain text from callers. */
export const print = (text: string): void => console.log(printable(text));

/** Prints messages for the user of a command, and errors with their stack traces. */
export const printError = (...parts: readonly unknown[]): void =>
  console.error(printable(parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ')));

/** A failure that the user of the command can fix. The message is one sentence for that user. */
export class CommandError extends Error {
  /** 2 if the arguments are wrong, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Turns the error of a call to AWS into one for the user. @param what the failure, as a sentence without its full stop */
export const toCommandError =
  (what: string) =>
  (cause: Error): never => {
    const message =
      cause.name === 'CredentialsProviderError'
        ? `No AWS credentials were found: sign in, for example with aws sso login, and set AWS_PROFILE. The reason: ${cause.message}`
        : `${what}: ${cause.message}`;
    throw new CommandError(message, 1, { cause });
  };
