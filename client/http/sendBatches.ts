import type { IdentifierName } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { notify } from '../state/notify.ts';
import type { Client, RequestOptions, Schemas } from './catalogClient.ts';
import { RequestError, requestOptions, unwrap } from './catalogClient.ts';
import { type PollOptions, retryUntilDone } from './retryUntilDone.ts';
import { wait } from './wait.ts';

export type RowResult = Schemas['RowResult'];

export interface OutgoingRow {
  readonly row: Schemas['Row'];
  /** Its idempotency key. Without one, it must be safe to send it twice. */
  readonly key?: string | undefined;
  /** The row that is sent instead once it may have been written. */
  readonly again?: Schemas['Row'] | undefined;
}

export interface SentBatch {
  readonly rows: readonly OutgoingRow[];
  readonly dry_run?: boolean;
  readonly match?: { readonly field?: IdentifierName | undefined; readonly create?: boolean | undefined } | undefined;
}

export interface SendOptions extends PollOptions {
  /**
   * When nothing is sent any more, in milliseconds since 1970: keys no longer protect their rows. Unless given, never, for
   * rows that cannot be written twice.
   */
  readonly until?: number;
}

const requestsAtOnce = 2;

/** How often in a row a row may fail with 500, before it is a reject. */
const maxFailures = 5;

const maxBytes = 200_000;

/** Divides rows, or what has them, into as many as a batch may have, and together 200 KB. */
export function divideRows<Entry>(all: readonly Entry[], rowOf: (entry: Entry) => object): Entry[][] {
  const divided: Entry[][] = [];
  let bytes = maxBytes;
  for (const entry of all) {
    const size = new TextEncoder().encode(JSON.stringify(rowOf(entry))).length;
    bytes += size;
    if (bytes > maxBytes || divided.at(-1)?.length === limits.rows.max) {
      divided.push([]);
      bytes = size;
    }
    divided.at(-1)?.push(entry);
  }
  return divided;
}

/**
 * Sends batches until each of their rows is decided, or has failed again and again while others were. Goes on after
 * failures, also while the page is hidden, and after a sign-in. Takes a batch only when it sends it.
 * @returns the results in the order of the answers. It ends early when the signal is aborted or the time is over
 * @throws RequestError if a batch is refused as a whole
 */
export async function* sendBatches<Sent extends SentBatch>(
  client: Client,
  batches: Iterable<Sent>,
  options: SendOptions,
): AsyncGenerator<{ readonly batch: Sent; readonly results: readonly RowResult[] }, void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const { until = Number.POSITIVE_INFINITY } = options;
  const left = batches[Symbol.iterator]();
  const sending = new Map<Sent, Promise<{ batch: Sent; results: readonly RowResult[] | undefined }>>();
  try {
    for (;;) {
      while (sending.size < requestsAtOnce && !signal.aborted && Date.now() < until) {
        const { value: batch, done } = left.next();
        if (done === true) break;
        const sent = sendBatch(client, batch, { ...options, until, signal });
        const answered = sent.then((results) => ({ batch, results }));
        sending.set(batch, answered);
      }
      if (sending.size === 0) return;
      const { batch, results } = await Promise.race(sending.values());
      sending.delete(batch);
      if (results !== undefined) yield { batch, results };
    }
  } finally {
    // Whoever stops listening gets nothing more written, and no failure that nobody would see.
    ended.abort();
    await Promise.allSettled(sending.values());
  }
}

/** A row, with what is known of it. */
interface SentRow {
  readonly sent: OutgoingRow;
  /** Of the last answer. With 5xx, the row is open. */
  result: RowResult;
  /** How often in a row it has failed. */
  failures: number;
  mayBeWritten: boolean;
}

/** Sends the rows of a batch again until none is open. */
async function sendBatch(
  client: Client,
  batch: SentBatch,
  options: PollOptions & { readonly signal: AbortSignal; readonly until: number },
): Promise<readonly RowResult[] | undefined> {
  const rows = batch.rows.map((sent): SentRow => ({ sent, result: noResult, failures: 0, mayBeWritten: false }));
  const send = async (): Promise<boolean> => {
    // The machine may have slept since the last attempt.
    if (Date.now() >= options.until) return false;
    await sendOpen(client, batch, rows, options);
    return true;
  };
  for (let attempt = 1; ; attempt += 1) {
    const isSent = await retryUntilDone(send, { ...options, inBackground: true });
    if (isSent !== true) return undefined;
    const failed = rows.find((row) => isOpen(row) && row.failures < maxFailures);
    if (failed === undefined) return rows.map(({ result }) => result);
    notify(options.onFailure, new Error(failed.result.error?.message));
    await wait(1_000 * Math.min(attempt, 30) * (0.5 + Math.random()), options.signal);
  }
}

const isOpen = ({ result }: SentRow): boolean => result.status >= 500;

/** Sends the rows that are open, and takes over their results. @throws RequestError if they are refused as a whole */
async function sendOpen(client: Client, batch: SentBatch, rows: readonly SentRow[], options: RequestOptions) {
  const open = rows.filter(isOpen);
  const sent = { params: { header: {} }, body: bodyOf(batch, open), ...requestOptions(options) };
  try {
    const answer = await client.POST('/api/v1/api/v1/items/batch', sent);
    const { response, error } = answer;
    // With one row, or when others were decided before, the answer is that of each row: it is too large, or it fails.
    const isOfRows = ['PAYLOAD_TOO_LARGE', 'INTERNAL_ERROR'].includes(error?.error.code ?? '');
    const isOfEach = isOfRows && (open.length === 1 || open.length < rows.length);
    const results = isOfEach
      ? open.map(() => ({ status: response.status, ...error }) as RowResult)
      : unwrap(answer).data;
    for (const [index, row] of open.entries()) {
      row.result = results[index] ?? noResult;
      row.failures = isOpen(row) && row.result.status !== 503 ? row.failures + 1 : 0;
      row.mayBeWritten ||= isOpen(row);
    }
  } catch (error) {
    // What was refused as a whole was not carried out.
    const isRefused = error instanceof RequestError && error.status >= 400 && error.status < 500;
    if (!isRefused) for (const row of open) row.mayBeWritten = true;
    throw error;
  }
}

/**
 * All that matters is in `match`: a version of the service that did not know a member beside it would ignore it, and write
 * rows twice, or create those that may not be created.
 */
function bodyOf({ match, dry_run }: SentBatch, rows: readonly SentRow[]): Schemas['Batch'] {
  const keys = rows.map(({ sent }) => sent.key ?? null);
  const isKeyed = keys.some((key) => key !== null);
  return {
    rows: rows.map(({ sent: { row, again = row }, mayBeWritten }) => (mayBeWritten ? again : row)),
    dry_run,
    match: { ...match, keys: isKeyed ? keys : undefined },
  };
}

/** Of a row that an answer leaves out. */
export const noResult: RowResult = {
  status: 502,
  error: { code: 'UNEXPECTED_RESPONSE', message: 'There was no answer for this row.' },
};
