/** Why an import ends before all rows are decided. */
import { RequestError } from '../http/catalogClient.ts';
import { NotLoaded } from './notLoaded.ts';

/**
 * The rows that are open when an import can no longer go on. They may have been written, or not.
 * @example if (error instanceof ImportExpired) show(error.rows);
 */
export class ImportExpired extends Error {
  override readonly name = 'ImportExpired';
  /** Their places among all rows, counted from 1. */
  readonly rows: readonly number[];

  constructor(rows: readonly number[]) {
    super('This import was begun a day ago: if it went on now, rows could be written twice.');
    this.rows = rows;
  }
}

/** An import with `mustNote` could not note what it was about to send. */
export class ImportNotNoted extends Error {
  override readonly name = 'ImportNotNoted';
}

/** Over http, unless it comes from the same computer, a page has no function to tell rows apart by. */
export class NotSecure extends Error {
  override readonly name = 'NotSecure';

  constructor() {
    super('Imports need a page that was loaded over https, or from this computer.');
  }
}

/** Why an import has ended or waits, as a code and an English text. */
export interface ImportFailure {
  /**
   * `no_answer`, `unreadable` (the file), `expired` (with the `lines` that may be written, or not), `not_noted` (there is no
   * room for notes), `not_secure` (the page was loaded over http), `not_loaded` (a part of the page: it is to be loaded
   * again), `older_service`, or a code of the contract in lower case.
   */
  readonly code: string;
  readonly message: string;
  readonly lines: readonly number[];
  /** What was thrown. */
  readonly cause: unknown;
}

/**
 * Why an import has ended, or waits.
 * @param other the code of what is none of its own errors
 * @param lineOf the line of a row by its place
 */
export function failureOf(cause: unknown, other: string, lineOf: (place: number) => number = Number): ImportFailure {
  const lines = cause instanceof ImportExpired ? cause.rows.map(lineOf) : [];
  const code = codeOf(cause, other);
  // Its own message is about a member of the request.
  const message = code === 'older_service' ? 'The service is older than this page.' : (cause as Error).message;
  return { code, message, lines, cause };
}

function codeOf(cause: unknown, other: string): string {
  if (cause instanceof ImportExpired) return 'expired';
  if (cause instanceof ImportNotNoted) return 'not_noted';
  if (cause instanceof NotSecure) return 'not_secure';
  if (cause instanceof NotLoaded) return 'not_loaded';
  if (!(cause instanceof RequestError)) return other;
  const isOlder = cause.fields?.some(({ field }) => field === 'match') === true;
  return isOlder ? 'older_service' : cause.code.toLowerCase();
}
