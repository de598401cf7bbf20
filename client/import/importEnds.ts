/** Why an import ends before all rows are decided. */

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
