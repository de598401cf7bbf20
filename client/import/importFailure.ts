/** Why an import ends before all rows are decided. */
import { RequestError, thrownText } from '../http/catalogClient.ts';

/**
 * The rows that are open when an import can no longer go on. They may have been written, or not.
 * @example if (error instanceof ImportExpired) show(error.rows);
 */
export class ImportExpired extends Error {
  override readonly name = 'ImportExpired';
  /** Their lines, or their places among all rows, counted from 1. */
  readonly rows: readonly number[];
  /** Gives the import up, once these rows were compared with the items: the next one of equal rows begins anew. */
  readonly giveUp: () => void;

  constructor(rows: readonly number[], giveUp: () => void) {
    super('This import was begun a day ago: if it went on now, rows could be written twice.');
    this.rows = rows;
    this.giveUp = giveUp;
  }
}

const messages = {
  /** An import with `requireStorage` could not store what it was about to send. */
  storage_unavailable: 'The progress could not be saved.',
  /** There is no network, or the page has been deployed anew. */
  not_loaded: 'A part of the page could not be loaded. Try again, or load the page again.',
  /** Over http, unless it comes from the same computer, a page has no function to tell rows apart by. */
  not_secure: 'Imports need a page that was loaded over https, or from this computer.',
};

/** What an import lacks, so that it cannot go on. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly code: keyof typeof messages;

  constructor(code: keyof typeof messages, options?: ErrorOptions) {
    super(messages[code], options);
    this.code = code;
  }
}

/** Why an import has ended or waits, as a code and an English text. */
export interface ImportFailure {
  /**
   * `no_answer`, `unreadable` (the file), `expired` (with the `lines` that may be written, or not), `storage_unavailable` (there is
   * no room for the progress), `not_secure` (the page was loaded over http), `not_loaded` (a part of the page: it is to be loaded
   * again), `older_service`, or a code of the contract in lower case.
   */
  readonly code: string;
  readonly message: string;
  readonly lines: readonly number[];
  /** What was thrown. */
  readonly cause: unknown;
}

/** @param other the code of what is none of its own errors */
export function failureOf(cause: unknown, other: string): ImportFailure {
  const lines = cause instanceof ImportExpired ? cause.rows : [];
  const code = codeOf(cause, other);
  // Its own message is about a member of the request.
  const message = code === 'older_service' ? 'The service is older than this page.' : thrownText(cause);
  return { code, message, lines, cause };
}

function codeOf(cause: unknown, other: string): string {
  if (cause instanceof ImportExpired) return 'expired';
  if (cause instanceof ImportError) return cause.code;
  if (!(cause instanceof RequestError)) return other;
  const isOlder = cause.fields?.some(({ field }) => field === 'match') === true;
  return isOlder ? 'older_service' : cause.code.toLowerCase();
}
