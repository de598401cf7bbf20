import { type IdentifierName, identifierNames } from '../lib/item/fields.ts';
import { RepeatedRows } from '../lib/item/repeatedRows.ts';
import { canonicalIdentifier } from '../lib/item/text.ts';
import { type CallerStorage, type Client, loadCatalog, type Schemas } from './catalogClient.ts';
import { ifAllowed, keyLifetime, Notes } from './notes.ts';
import { type Batch, divideRows, type RowResult, sendBatches } from './sendBatches.ts';
import type { PollOptions } from './untilDone.ts';

/** A new item, or with `id` what to change in one. */
export type Row = Schemas['Row'];

/** A row that was refused. */
export type Reject = RowResult & {
  /** Its place among all rows, counted from 1. */
  readonly row: number;
  readonly error: Schemas['RowError'];
};

export interface ImportProgress {
  /** How many rows have been written, in this visit and before. */
  readonly done: number;
  /** How many of these were found written in this visit: equal rows are written once a day. */
  readonly replayed: number;
  readonly refused: number;
  readonly left: number;
  readonly rowsPerSecond: number;
  /** The rows that were refused since the last progress. Those of earlier visits are sent again, and then among these. */
  readonly rejects: readonly Reject[];
  /** Whether the storage has noted what is done. If not, such as when it is full, another visit begins again. */
  readonly isNoted: boolean;
}

export interface ImportOptions extends PollOptions, Pick<Schemas['Batch'], 'match' | 'dry_run'> {
  /** Keeps which rows are done until all are. With `localStorage`, another tab and another visit can go on. */
  readonly storage: CallerStorage;
  /** A text with which equal rows are written once more. */
  readonly key?: string | undefined;
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

interface PlacedBatch extends Batch {
  readonly index: number;
  /** Of each row. */
  readonly places: readonly number[];
}

const slot = 'catalog.import';

/** For how long it is known that an import has expired. */
const noteLifetime = 7 * 24 * 3_600_000;

/**
 * Writes rows, in batches. If it is interrupted, call it again with equal rows and the same storage: it goes on where it
 * was, and writes no row twice. A row that fails again and again, while others are written, is refused.
 * @returns the progress, at the beginning and after each batch. It ends early when the signal is aborted
 * @throws ImportExpired if it was begun a day ago; RequestError if the user may not write
 */
export async function* importRows(
  client: Client,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions,
): AsyncGenerator<ImportProgress, void> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  const { account, user } = await loadCatalog(client, options);
  const { batches, repeated, hash } = await divide(all, options);
  const note = new ImportNote(options.dry_run === true ? noStorage : options.storage, `${account} ${user} ${hash}`);
  /** The batches that were answered in this visit. */
  const answered = new Set<PlacedBatch>();
  /** The places of the rows to send: in a batch that was done before, those that were refused, whose reasons are not kept. */
  const open = (batch: PlacedBatch) => (answered.has(batch) ? [] : (note.done.get(batch.index) ?? batch.places));
  function* openBatches() {
    for (const batch of batches) {
      note.read();
      const places = open(batch);
      if (places.length > 0) yield partOf(batch, places);
    }
  }
  const counted = { refused: 0, replayed: 0 };
  const progress = (rejects: readonly Reject[]): Omit<ImportProgress, 'rowsPerSecond'> => {
    const left = batches.reduce((sum, batch) => sum + open(batch).length, 0);
    counted.refused += rejects.length;
    return { ...counted, done: all.length - left - counted.refused, left, rejects, isNoted: note.isKept };
  };
  try {
    const first = progress(repeated);
    yield { ...first, rowsPerSecond: 0 };
    const began = performance.now();
    for await (const { batch: sent, results } of sendBatches(client, openBatches(), {
      ...options,
      until: note.until,
    })) {
      counted.replayed += results.filter((result) => result.replayed === true).length;
      const rejects = rejectsIn(sent, results);
      answered.add(sent.batch);
      note.add(sent.batch.index, rejects);
      const now = progress(rejects);
      const seconds = (performance.now() - began) / 1_000;
      yield { ...now, rowsPerSecond: (first.left - now.left) / seconds };
    }
    const rest = batches.flatMap(open);
    if (rest.length > 0 && options.signal?.aborted !== true) throw new ImportExpired(rest);
  } finally {
    if (batches.every((batch) => open(batch).length === 0)) note.remove();
  }
}

/** Some rows of a batch, in their places, because the service makes the key of a row of them. The others are empty: 422. */
function partOf(batch: PlacedBatch, open: readonly number[]) {
  const { places, body, key } = batch;
  const rows = body.rows.map((row, index) => (open.includes(places[index] ?? 0) ? row : {}));
  return { batch, open, key, body: { ...body, rows } };
}

/** Call it at sign-out: nobody else may see what the user has left open. And to give up an import that has expired. */
export const forgetImports = (storage: CallerStorage): void => storage.removeItem(slot);

/** Divides rows into batches, always in the same way, because the key of a batch stands for its rows. */
async function divide(rows: readonly Row[], { match, dry_run, key = '' }: ImportOptions) {
  const codes = dry_run === true ? identifierNames : match === undefined ? [] : [match];
  const taken = new RepeatedRows();
  const repeated: Reject[] = [];
  const kept: { readonly row: Row; readonly place: number }[] = [];
  for (const [index, row] of rows.entries()) {
    const place = index + 1;
    const problems = repetitions(row, codes, taken, `row ${place}`);
    const [first] = problems;
    if (first !== undefined) {
      const error = { code: 'VALIDATION_FAILED', message: `Invalid field: ${first.field}.`, fields: problems };
      repeated.push({ row: place, status: 422, error });
      continue;
    }
    kept.push({ row, place });
  }
  const divided = divideRows(kept, ({ row }) => row).map((batch) => ({
    rows: batch.map(({ row }) => row),
    places: batch.map(({ place }) => place),
  }));
  const hash = await hashOf([key, match ?? null, divided.map((batch) => batch.rows)]);
  const of = { ...(match !== undefined && { match }), ...(dry_run !== undefined && { dry_run }) };
  const batches = divided.map(
    ({ rows, places }, index): PlacedBatch => ({ index, places, key: `${hash}.${index}`, body: { ...of, rows } }),
  );
  return { batches, repeated, hash };
}

/** The service sees one batch at a time, and two rows for one item could be written in any order. */
function repetitions(row: Row, codes: readonly IdentifierName[], taken: RepeatedRows, place: string) {
  const { id } = row;
  const repeated = id === undefined ? [] : taken.take('id', id, place);
  for (const name of codes) {
    const code = row[name];
    const text = typeof code === 'string' ? canonicalIdentifier(code) : null;
    if (text !== null) repeated.push(...taken.take(name, text, place));
  }
  return repeated;
}

async function hashOf(value: unknown): Promise<string> {
  // Over http in a local network, a page has none.
  if (!('subtle' in crypto)) throw new Error('Imports need a page that was loaded over https, or from this computer.');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const rejectsIn = ({ batch, open }: ReturnType<typeof partOf>, results: readonly RowResult[]): Reject[] =>
  results.flatMap((result, index) => {
    const { [index]: row = 0 } = batch.places;
    return result.error === undefined || !open.includes(row) ? [] : [{ ...result, error: result.error, row }];
  });

/** As the storage has it, for each import that is open, by user and rows. */
interface Kept {
  readonly until: number;
  /** Each batch that is decided, by its index. Older versions kept its rejects here, and read none if there are none. */
  readonly done: Readonly<Record<string, readonly Pick<Reject, 'row'>[]>>;
  /** The places of the rows that were refused, by the index of their batch. */
  readonly refused?: Readonly<Record<string, readonly number[]>>;
}

/** What has been done of an import. Other tabs with the same storage add what they do. It goes on without the storage. */
class ImportNote {
  readonly #notes: Notes<Kept>;
  readonly #name: string;
  /** When the keys of the first batches no longer protect their rows. */
  readonly until: number;
  /** The places of the rows that were refused of each batch that is decided, by its index. */
  readonly done = new Map<number, readonly number[]>();
  /** Whether the storage has it. */
  isKept = true;

  constructor(storage: CallerStorage, name: string) {
    this.#notes = new Notes(storage, slot, ({ until }) => until < Date.now() - noteLifetime);
    this.#name = name;
    this.until = this.read()?.until ?? Date.now() + keyLifetime;
    this.#write();
  }

  /** Takes over what other tabs have done. */
  read(): Kept | undefined {
    const kept = ifAllowed(() => this.#notes.read(this.#name));
    for (const [index, rejects] of Object.entries(kept?.done ?? {}))
      if (!this.done.has(Number(index)))
        this.done.set(Number(index), kept?.refused?.[index] ?? rejects.map(({ row }) => row));
    return kept;
  }

  add(batch: number, rejects: readonly Reject[]): void {
    this.done.set(
      batch,
      rejects.map(({ row }) => row),
    );
    this.read();
    this.#write();
  }

  remove(): void {
    ifAllowed(() => this.#notes.write(this.#name, undefined));
  }

  #write(): void {
    const done = [...this.done];
    const refused = Object.fromEntries(done.filter(([, places]) => places.length > 0));
    const kept = { until: this.until, done: Object.fromEntries(done.map(([index]) => [index, []])), refused };
    try {
      this.#notes.write(this.#name, kept);
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
  }
}

/** A dry run does nothing that could be done twice. */
const noStorage: CallerStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
