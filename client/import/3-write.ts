import type { CallerStorage, Client } from '../http/catalogClient.ts';
import { divideRows, noResult, type OutgoingRow, type RowResult, sendBatches } from '../http/sendBatches.ts';
import { type ImportPreview, previewRows, type RowOptions } from './2-preview.ts';
import { ImportError, ImportExpired } from './importFailure.ts';
import { type ImportJournal, openJournal } from './journal.ts';
import { type ImportRow, type RejectedRow, type Row, type RowOutcome, rejectedBy, sentUpdate } from './row.ts';
import { ImportRows, type RowFact } from './rows.ts';

export { preview } from './2-preview.ts';
export { lastImports } from './journal.ts';

export interface ImportProgress {
  /** How many rows are decided and were not rejected, in this visit and before. */
  readonly done: number;
  /** How many of these were found written in this visit: equal rows are written once a day. */
  readonly replayed: number;
  /** How many rows would change nothing, by the preview. They are not written. */
  readonly unchanged: number;
  /** How many items this visit has created, and updated. */
  readonly created: number;
  readonly updated: number;
  readonly rejected: number;
  readonly left: number;
  readonly rowsPerSecond: number;
  /**
   * The rows that were rejected since the last progress. Those of earlier visits are previewed again, and then among
   * these.
   */
  readonly rejectedRows: readonly RejectedRow[];
  /** Whether the storage has all that is done. If not, such as when it is full, another visit begins again. */
  readonly isSaved: boolean;
}

export interface ImportOptions extends RowOptions {
  /** Keeps which rows are done until all are. With `localStorage`, another tab and another visit can resume. */
  readonly storage: CallerStorage | undefined;
  /** The last preview of equal rows with equal options. Without one, they are previewed first. */
  readonly preview?: ImportPreview | undefined;
  /** The name of the file that the rows are of, for `lastImports`. */
  readonly file?: string | undefined;
  /** Whether to end before it sends what the storage does not take. */
  readonly requireStorage?: boolean | undefined;
  /** Runs before the import is marked as finished, if all is decided. If it fails, the import can be resumed. */
  readonly finish?: (() => void) | undefined;
}

/**
 * Writes rows, in batches. If it is interrupted, call it again with equal rows and the same storage: it resumes where it
 * was, and writes no row twice, nor over what others have written to its items since. Called again after its end, it
 * writes them again, but creates equal items once a day. A row that fails again and again, while others are written, is
 * rejected.
 * @returns the progress, at the beginning and after each batch. It ends early when the signal is aborted
 * @throws ImportExpired if it was begun a day ago; RequestError if the user may not write
 * @example for await (const { left } of importRows(client, rows, { storage: localStorage })) show(left);
 */
export async function* importRows(
  client: Client,
  rows: readonly Row[],
  options: ImportOptions,
): AsyncGenerator<ImportProgress, void> {
  let { preview: seen } = options;
  if (seen === undefined) for await (seen of previewRows(client, rows, options));
  if (seen === undefined || seen.left > 0) return;
  yield* write(client, new ImportRows(seen.rows, options.lines !== undefined), seen.hash, options);
}

/** Writes rows that were previewed. */
export async function* write(
  client: Client,
  rows: ImportRows,
  hash: string,
  options: ImportOptions,
): AsyncGenerator<ImportProgress, void> {
  const journal = await openJournal(client, hash, options);
  if (journal === undefined) return;
  // What was begun is resumed as it was begun, whatever a new preview says of it.
  const begun = journal.replay(rows.sendable).filter(([, { outcome }]) => outcome !== 'unchanged');
  rows.apply(begun);
  journal.begin(rows);
  const progressOf = counter(rows, journal);
  const isAborted = () => options.signal?.aborted === true;
  let progress = progressOf([], rows.rejected);
  yield progress;
  const batches = outgoing(rows, journal, options);
  for await (const { batch, results } of sendBatches(client, batches, { ...options, until: journal.until })) {
    if (isAborted()) break;
    rows.apply(batch.sent.map((row, index) => [row, outcomeOf(row, results[index] ?? noResult)]));
    journal.save(batch.sent);
    progress = progressOf(results, rows.current(batch.sent).filter(isRejected));
    yield progress;
  }
  // Whoever signs out forgets what is stored at once, and nothing may be stored after that.
  if (isAborted()) return;
  const left = rows.with(...due);
  if (left.length > 0) {
    rows.apply(left.map((row) => [row, expired]));
    const lines = left.map(({ line }) => line);
    throw new ImportExpired(lines, () => journal.end());
  }
  // Another tab has written the last ones.
  if (progress.left > 0) yield progressOf([], []);
  options.finish?.();
  journal.end();
}

const expired = rejectedBy(0, {
  code: 'EXPIRED',
  message: 'may have been written a day ago, or not: compare it with the items',
});

const due = ['create', 'update', 'reactivate', 'sending'] as const;
const isDue = ({ outcome }: ImportRow): boolean => due.some((each) => each === outcome);
const isRejected = (row: ImportRow): row is RejectedRow => row.outcome === 'rejected';

/** @returns what makes the progress of a batch's results and the rows that they reject */
function counter(rows: ImportRows, journal: ImportJournal) {
  const { duplicate, unchanged } = rows.counts;
  const counts = { replayed: duplicate, unchanged, created: 0, updated: 0 };
  const startedAt = performance.now();
  let answered = 0;
  return (results: readonly RowResult[], rejectedRows: readonly RejectedRow[]): ImportProgress => {
    for (const { error, status, replayed } of results) {
      if (error !== undefined) continue;
      if (replayed === true) counts.replayed += 1;
      else if (status === 201) counts.created += 1;
      else counts.updated += 1;
    }
    answered += results.length;
    const { rejected, ...known } = rows.counts;
    const left = due.reduce((sum, outcome) => sum + known[outcome], 0);
    const rowsPerSecond = (answered * 1_000) / Math.max(1, performance.now() - startedAt);
    const done = rows.size - left - rejected;
    return { ...counts, done, rejected, left, rowsPerSecond, rejectedRows, isSaved: journal.isSaved };
  };
}

/** The batches to send. Each is in the journal before, and without what another tab has done. */
function* outgoing(rows: ImportRows, journal: ImportJournal, options: ImportOptions) {
  const match = { field: options.match, create: options.create };
  for (const part of divideRows(rows.with(...due), ({ body }) => body)) {
    rows.apply(journal.replay(part).filter(([, { outcome }]) => outcome === 'done'));
    const sent = rows.current(part).filter(isDue);
    if (sent.length === 0) continue;
    const updates = sent.flatMap((row): RowFact[] => {
      const update = sentUpdate(row);
      return update === undefined ? [] : [[row, { outcome: 'sending', ...update }]];
    });
    rows.apply(updates);
    journal.save(updates.map(([row]) => row));
    if (options.requireStorage === true && !journal.isSaved) throw new ImportError('storage_unavailable');
    yield { match, sent, rows: sent.map((row) => outgoingRow(row, journal)) };
  }
}

/** A row that may have been written is of the item that it had then, as it was then. */
function outgoingRow(row: ImportRow, journal: ImportJournal): OutgoingRow {
  const { body, place = 0 } = row;
  const update = sentUpdate(row);
  if (update === undefined) return { row: body, key: row.newKey ?? row.key };
  const { id, revision, isReactivated } = update;
  const again = { ...body, id, revision, ...(isReactivated && { active: body.active ?? true }) };
  const isOfItem = isReactivated || row.outcome === 'sending';
  return { row: isOfItem ? again : body, again, key: journal.keyOf(place) };
}

function outcomeOf(row: ImportRow, { error, status, id, revision, replayed }: RowResult): RowOutcome {
  // The answer to an update that was written before has the revision of now.
  const written = replayed !== true || status === 201 ? revision : undefined;
  if (error === undefined) return { outcome: 'done', id, revision: written };
  const reason = reasonOf(row, error);
  const isOpen = status >= 500 || reason.code === 'MAY_BE_WRITTEN';
  return rejectedBy(status, reason, isOpen ? sentUpdate(row) : undefined);
}

/** A row that names no revision is refused for one if it may have been written, and its item has forgotten that. */
function reasonOf(row: ImportRow, error: NonNullable<RowResult['error']>): NonNullable<RowResult['error']> {
  const isOfRevision = row.body.revision !== undefined || row.outcome === 'reactivate';
  if (error.code !== 'PRECONDITION_FAILED' || isOfRevision) return error;
  const message = `may have been written before, and item ${row.id} has changed since: compare it with the row`;
  return { ...error, code: 'MAY_BE_WRITTEN', message };
}
