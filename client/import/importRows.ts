import { type CallerStorage, type Client, loadCatalog } from '../http/catalogClient.ts';
import { requestOptions } from '../http/requestOptions.ts';
import { type RowResult, sendBatches } from '../http/sendBatches.ts';
import { divide, membersOf, type PlacedRow, type Reject, type Row, type RowOptions } from './importBatches.ts';
import { forgetImports, importNote, lastImports } from './importNote.ts';
import type { Look } from './lookAtRows.ts';

export { forgetImports, lastImports, type Reject, type Row };

export interface ImportProgress {
  /** How many rows have been written, in this visit and before. */
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
  /** The rows that were refused since the last progress. Those of earlier visits are sent again, and then among these. */
  readonly rejects: readonly Reject[];
  /** Whether the storage has noted what is done. If not, such as when it is full, another visit begins again. */
  readonly isNoted: boolean;
}

export interface ImportOptions extends RowOptions {
  /** Keeps which rows are done until all are. With `localStorage`, another tab and another visit can go on. */
  readonly storage: CallerStorage;
  readonly dry_run?: boolean;
  /** The last look at equal rows: what is unchanged, known or refused in it is not sent. */
  readonly look?: Look | undefined;
}

/** The rows that are open when an import can no longer go on. They may have been written, or not. */
export class ImportExpired extends Error {
  override readonly name = 'ImportExpired';
  /** Their places among all rows, counted from 1. */
  readonly rows: readonly number[];

  constructor(rows: readonly number[]) {
    super('This import was begun a day ago: if it went on now, rows could be written twice.');
    this.rows = rows;
  }
}

/**
 * Writes rows, in batches. If it is interrupted, call it again with equal rows and the same storage: it goes on where it
 * was, and writes no row twice. Called again after its end, it writes them again, but creates equal items once a day. A
 * row that fails again and again, while others are written, is refused.
 * @returns the progress, at the beginning and after each batch. It ends early when the signal is aborted
 * @throws ImportExpired if it was begun a day ago; RequestError if the user may not write
 * @example for await (const { left } of importRows(client, rows, { storage: localStorage })) show(left);
 */
export async function* importRows(
  client: Client,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions,
): AsyncGenerator<ImportProgress, void> {
  const { look, dry_run = false } = options;
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  const { account, user } = await loadCatalog(client, options);
  const { data: changes } = await client.GET('/api/v1/api/v1/changes', requestOptions(options));
  const now = changes === undefined ? Date.now() : Date.parse(changes.read_at);
  const { batches, repeated, hash } = await divide(all, options);
  const storage = dry_run ? noStorage : options.storage;
  const isNew = (look?.rows ?? []).flatMap(({ verdict }, index) => (verdict === 'new' ? index + 1 : []));
  const note = importNote(storage, `${account} ${user} ${hash}`, now, isNew);
  const answered = new Set<number>();
  const isSent = (place: number) => ['new', 'changed', 'returning'].includes(look?.rows[place - 1]?.verdict ?? 'new');
  /** The places of the rows to send. Of a batch done before, those that were refused: their reasons are not kept. */
  const open = (batch: readonly PlacedRow[], index: number) =>
    answered.has(index) ? [] : (note.done.get(index) ?? batch.map(({ place }) => place)).filter(isSent);
  const allOpen = () => batches.flatMap(open);
  /** The rows keep their places, of which the service makes their keys. Those not to be sent are empty, and refused. */
  function bodyOf(batch: readonly PlacedRow[], places: readonly number[]) {
    const sent = batch.map(({ place, row, key, isMatched }) => {
      const looked = look?.rows[place - 1];
      // What this run may have created is found by its key: a new update would write over what others have written since.
      const isFound = looked?.verdict === 'changed' && note.wasNew(place);
      const seen = isFound ? { key } : (looked ?? { key: isMatched ? undefined : key, row });
      return places.includes(place) ? { row, ...seen } : { row: {}, key: undefined };
    });
    const keys = sent.map(({ key }) => key);
    return { ...membersOf(options, keys), ...(dry_run && { dry_run }), rows: sent.map(({ row }) => row) };
  }
  function* openBatches() {
    for (const [index, batch] of batches.entries()) {
      note.read();
      const places = open(batch, index);
      const key = `${note.run ?? hash}.${index}`;
      if (places.length > 0) yield { index, batch, places, key, body: bodyOf(batch, places) };
    }
  }
  const { known = 0, unchanged = 0 } = look?.counts ?? {};
  const counted = { refused: 0, replayed: known, unchanged, created: 0, updated: 0 };
  const progress = (rejects: readonly Reject[]): Omit<ImportProgress, 'rowsPerSecond'> => {
    const left = allOpen().length;
    counted.refused += rejects.length;
    return { ...counted, done: all.length - left - counted.refused, left, rejects, isNoted: note.isKept };
  };
  try {
    const first = progress(look === undefined ? repeated : rejectsOf(look));
    yield { ...first, rowsPerSecond: 0 };
    const began = performance.now();
    const sending = sendBatches(client, openBatches(), { ...options, until: note.until });
    for await (const { batch: sent, results } of sending) {
      const written = results.filter(({ error }) => error === undefined);
      const fresh = written.filter(({ replayed }) => replayed !== true);
      counted.replayed += written.length - fresh.length;
      counted.created += fresh.filter(({ status }) => status === 201).length;
      counted.updated += fresh.filter(({ status }) => status === 200).length;
      const rejects = rejectsIn(sent, results);
      answered.add(sent.index);
      const places = rejects.map(({ row }) => row);
      const ids = written.flatMap(({ id = [] }) => id);
      note.add(sent.index, places, ids);
      const step = progress(rejects);
      const seconds = (performance.now() - began) / 1_000;
      yield { ...step, rowsPerSecond: (first.left - step.left) / seconds };
    }
    const rest = allOpen();
    if (rest.length > 0 && options.signal?.aborted !== true) throw new ImportExpired(rest);
  } finally {
    if (allOpen().length === 0) note.end();
  }
}

const rejectsOf = ({ rows }: Look): Reject[] =>
  rows.flatMap(({ error }, index) => (error === undefined ? [] : [{ row: index + 1, status: 422, error }]));

type Part = { readonly batch: readonly PlacedRow[]; readonly places: readonly number[] };

const rejectsIn = ({ batch, places }: Part, results: readonly RowResult[]): Reject[] =>
  results.flatMap(({ error, ...result }, index) => {
    const { place: row = 0 } = batch[index] ?? {};
    return error === undefined || !places.includes(row) ? [] : [{ ...result, error, row }];
  });

/** A dry run does nothing that could be done twice. */
const noStorage: CallerStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
