import { type CallerStorage, type Client, loadCatalog } from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { divideRows, type OutgoingRow, type RowResult, sendBatches } from '../http/sendBatches.ts';
import { ImportExpired, ImportNotNoted } from './importFailure.ts';
import { forgetImports, ImportNote, lastImports } from './importNote.ts';
import { lastOf } from './lastOf.ts';
import { type Look, lookAtRows } from './lookAtRows.ts';
import type { PlacedRow } from './planRows.ts';
import type { RowLook } from './rowLook.ts';
import type { Row, RowError, RowOptions } from './rows.ts';

export { forgetImports, ImportExpired, lastImports, type Row };

export interface Reject {
  /** Its place among all rows, counted from 1. */
  readonly row: number;
  readonly status: number;
  readonly error: RowError;
}

export interface ImportProgress {
  /** How many rows are decided and were not refused, in this visit and before. */
  readonly done: number;
  /** How many of these were found written in this visit: equal rows are written once a day. */
  readonly replayed: number;
  /** How many rows would change nothing, by the look. They are not written. */
  readonly unchanged: number;
  /** How many items this visit has created, and updated. */
  readonly created: number;
  readonly updated: number;
  readonly refused: number;
  readonly left: number;
  readonly rowsPerSecond: number;
  /** The rows that were refused since the last progress. Those of earlier visits are looked at again, and then among these. */
  readonly rejects: readonly Reject[];
  /** Whether the storage has noted what is done. If not, such as when it is full, another visit begins again. */
  readonly isNoted: boolean;
}

export interface ImportOptions extends RowOptions {
  /** Keeps which rows are done until all are. With `localStorage`, another tab and another visit can go on. */
  readonly storage: CallerStorage | undefined;
  /** The last look at equal rows with equal options. Without one, they are looked at first. */
  readonly look?: Look | undefined;
  /** Whether to end before it sends what the storage cannot note. */
  readonly mustNote?: boolean | undefined;
  /** Is done before the import counts as ended, if all is decided. If it fails, the import can go on. */
  readonly finish?: (() => void) | undefined;
}

/**
 * Writes rows, in batches. If it is interrupted, call it again with equal rows and the same storage: it goes on where it
 * was, and writes no row twice, nor over what others have written to its items since. Called again after its end, it
 * writes them again, but creates equal items once a day. A row that fails again and again, while others are written, is
 * refused.
 * @returns the progress, at the beginning and after each batch. It ends early when the signal is aborted
 * @throws ImportExpired if it was begun a day ago; RequestError if the user may not write
 * @example for await (const { left } of importRows(client, rows, { storage: localStorage })) show(left);
 */
export async function* importRows(
  client: Client,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions,
): AsyncGenerator<ImportProgress, void> {
  const look = options.look ?? (await lookFirst(client, rows, options));
  if (look === undefined || look.left > 0) return;
  const begin = await retryUntilDone(() => beginning(client, options), { ...options, inBackground: true });
  if (begin === undefined) return;
  const note = new ImportNote(options.storage, begin.caller, look.plan.hash, begin.now);
  note.begin(look.plan.rows, look.rows);
  const run = new ImportRun(look, note);
  const batches = outgoing(run, note, options);
  yield run.progress(rejectsOf(look).filter(({ row }) => run.lookAt(row).verdict === 'refused'));
  for await (const { batch, results } of sendBatches(client, batches, { ...options, until: note.until })) {
    const rejects = run.take(batch.places, results);
    yield run.progress(rejects);
  }
  const { left } = run;
  if (left.length > 0 && options.signal?.aborted !== true) throw new ImportExpired(left.map(({ place }) => place));
  if (left.length > 0) return;
  options.finish?.();
  note.end();
}

/** Who imports, and when by the service's clock. */
async function beginning(client: Client, options: RequestOptions) {
  const caller = await loadCatalog(client, options);
  const { data: changes } = await client.GET('/api/v1/api/v1/changes', requestOptions(options));
  return { caller, now: changes === undefined ? Date.now() : Date.parse(changes.read_at) };
}

async function lookFirst(
  client: Client,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions,
): Promise<Look | undefined> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return lastOf(lookAtRows(client, all, options));
}

const rejectsOf = ({ rows }: Look): Reject[] =>
  rows.flatMap(({ error, status = 422 }, index) => (error === undefined ? [] : [{ row: index + 1, status, error }]));

/** What an import has done of the rows that were looked at. */
class ImportRun {
  readonly #look: Look;
  readonly #note: ImportNote;
  readonly #looks = new Map<number, RowLook>();
  readonly #due: readonly PlacedRow[];
  readonly #answered = new Set<number>();
  readonly #counts: Record<'replayed' | 'unchanged' | 'created' | 'updated' | 'refused', number>;
  readonly #began = performance.now();

  constructor(look: Look, note: ImportNote) {
    this.#look = look;
    this.#note = note;
    const { known, unchanged } = look.counts;
    this.#counts = { replayed: known, unchanged, created: 0, updated: 0, refused: 0 };
    for (const row of look.plan.rows) {
      const before = note.lookOf(row);
      // What this run has begun goes on as it was begun, whatever a new look says of it.
      const isBegun = before !== undefined && before.verdict !== 'unchanged';
      this.#looks.set(row.place, isBegun ? before : (look.rows[row.place - 1] ?? refused));
    }
    this.#due = look.plan.rows.filter(({ place }) => isWritten.has(this.lookAt(place).verdict));
  }

  lookAt = (place: number): RowLook => this.#looks.get(place) ?? refused;

  get left(): readonly PlacedRow[] {
    return this.#due.filter((row) => this.isLeft(row));
  }

  isLeft = ({ place }: PlacedRow): boolean => !this.#answered.has(place) && !this.#note.isDone(place);

  /** Takes over what became of rows. @returns those that were refused */
  take(places: readonly number[], results: readonly RowResult[]): Reject[] {
    const written = results.filter(({ error }) => error === undefined);
    const isNow = written.filter(({ replayed }) => replayed !== true);
    this.#counts.replayed += written.length - isNow.length;
    this.#counts.created += isNow.filter(({ status }) => status === 201).length;
    this.#counts.updated += isNow.filter(({ status }) => status === 200).length;
    for (const place of places) this.#answered.add(place);
    const rejects = places.flatMap((row, index): Reject[] => {
      const { status = 0, error } = results[index] ?? {};
      return error === undefined ? [] : [{ row, status, error: this.#reasonAt(row, error) }];
    });
    const isRefused = new Set(rejects.map(({ row }) => row));
    const done = places.filter((place) => !isRefused.has(place));
    // What may be written stays under way: a new look would write it over what others have written since.
    const isOpen = new Set(rejects.flatMap(({ row, status, error }) => (mayBeWritten(status, error) ? row : [])));
    const decided = places.filter((place) => !isOpen.has(place));
    this.#note.add(decided, done, written);
    return rejects;
  }

  /** A row that names no revision is refused for one if it may have been written, and its item has forgotten that. */
  #reasonAt(place: number, error: RowError): RowError {
    const { id, row } = this.lookAt(place);
    const sent = row ?? this.#due.find((due) => due.place === place)?.row;
    if (error.code !== 'PRECONDITION_FAILED' || sent?.revision !== undefined) return error;
    const message = `may have been written before, and item ${id} has changed since: compare it with the row`;
    return { ...error, code: 'MAY_BE_WRITTEN', message };
  }

  progress(rejects: readonly Reject[]): ImportProgress {
    this.#counts.refused += rejects.length;
    const left = this.left.length;
    const seconds = (performance.now() - this.#began) / 1_000;
    return {
      ...this.#counts,
      done: this.#look.rows.length - left - this.#counts.refused,
      left,
      rowsPerSecond: this.#answered.size / seconds,
      rejects,
      isNoted: this.#note.isKept,
    };
  }
}

const mayBeWritten = (status: number, { code }: RowError): boolean => status >= 500 || code === 'MAY_BE_WRITTEN';

const refused: RowLook = { verdict: 'refused' };

const isWritten: ReadonlySet<RowLook['verdict']> = new Set(['new', 'changed', 'returning']);

/** The batches to send. Each is noted before, and without what another tab has done. */
function* outgoing(run: ImportRun, note: ImportNote, { match: field, create, mustNote }: ImportOptions) {
  const match = { ...(field !== undefined && { field }), ...(create === false && { create }) };
  for (const part of divideRows(run.left, ({ row }) => row)) {
    note.read();
    const rows = part.filter(run.isLeft);
    if (rows.length === 0) continue;
    note.send(
      rows.flatMap(({ place }): [number, number, number][] => {
        const { id, revision } = run.lookAt(place);
        return id === undefined || revision === undefined ? [] : [[place, id, revision]];
      }),
    );
    if (mustNote === true && !note.isKept) throw new ImportNotNoted('What is done could not be noted.');
    yield {
      match,
      places: rows.map(({ place }) => place),
      rows: rows.map((row) => outgoingRow(row, run.lookAt(row.place), note)),
    };
  }
}

/** A row that may have been written is of the item that it had then, as it was then. */
function outgoingRow({ place, row }: PlacedRow, look: RowLook, note: ImportNote): OutgoingRow {
  const { verdict, id, revision, row: sent = row, isUnderWay, key } = look;
  const again = id === undefined ? sent : { ...sent, id, revision };
  if (verdict === 'new') return { row: sent, key };
  return { row: isUnderWay === true ? again : sent, again, key: note.keyOf(place) };
}
