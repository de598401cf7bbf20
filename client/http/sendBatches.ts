import type { IdentifierName } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { notify } from '../state/notify.ts';
import { type Client, type Schemas, unwrap } from './catalogClient.ts';
import { requestOptions } from './requestOptions.ts';
import { type PollOptions, retryUntilDone } from './retryUntilDone.ts';
import { wait } from './wait.ts';

export type RowResult = Schemas['RowResult'];

export interface OutgoingRow {
  readonly row: Schemas['Row'];
  /** Its own idempotency key. Without one, it must be safe to send it twice. */
  readonly key?: string | undefined;
  /** What is sent instead once it may have been written. */
  readonly again?: Schemas['Row'] | undefined;
}

export interface SentBatch {
  readonly rows: readonly OutgoingRow[];
  /** Its `Idempotency-Key`, by which all its rows can be sent again. Rows with keys of their own need none. */
  readonly key?: string;
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

/** Sends the rows of a batch again until none is open. */
async function sendBatch(
  client: Client,
  batch: SentBatch,
  options: PollOptions & { readonly signal: AbortSignal; readonly until: number },
): Promise<readonly RowResult[] | undefined> {
  const params = { header: batch.key === undefined ? {} : { 'Idempotency-Key': batch.key } };
  const failures = batch.rows.map(() => 0);
  let results: RowResult[] = [];
  let isAgain = false;
  const send = async (rows: readonly OutgoingRow[]): Promise<RowResult[] | undefined> => {
    // The machine may have slept since the last attempt.
    if (Date.now() >= options.until) return undefined;
    const body = bodyOf({ ...batch, rows }, isAgain);
    const wasAgain = isAgain;
    isAgain = true;
    const answer = await client.POST('/api/v1/api/v1/items/batch', { params, body, ...requestOptions(options) });
    // What was refused as a whole was not carried out.
    if (answer.response.status < 500) isAgain = wasAgain;
    // With one row, or when others were decided before, the answer is that of each row: it is too large, or it fails.
    const isOfRows = ['PAYLOAD_TOO_LARGE', 'INTERNAL_ERROR'].includes(answer.error?.error.code ?? '');
    if (isOfRows && (rows.length === 1 || rows.length < batch.rows.length))
      return rows.map(() => ({ status: answer.response.status, ...answer.error }) as RowResult);
    const { data } = unwrap(answer);
    return rows.map((_, index) => data[index] ?? noResult);
  };
  for (let attempt = 1; ; attempt += 1) {
    const isOpen = (index: number) => batch.key !== undefined || (results[index]?.status ?? 500) >= 500;
    const open = [...batch.rows.keys()].filter(isOpen);
    const rows = batch.rows.filter((_, index) => open.includes(index));
    const answers = await retryUntilDone(() => send(rows), { ...options, inBackground: true });
    if (answers === undefined) return undefined;
    results = batch.rows.map((_, index) => answers[open.indexOf(index)] ?? results[index] ?? noResult);
    for (const [index, { status }] of results.entries())
      failures[index] = status >= 500 && status !== 503 ? (failures[index] ?? 0) + 1 : 0;
    const failed = results.find(({ status }, index) => status >= 500 && (failures[index] ?? 0) < maxFailures);
    if (failed === undefined) return results;
    isAgain = true;
    notify(options.onFailure, new Error(failed.error?.message));
    await wait(1_000 * Math.min(attempt, 30) * (0.5 + Math.random()), options.signal);
  }
}

/**
 * All that matters is in `match`: a version of the service that did not know a member beside it would ignore it, and write
 * rows twice, or create those that may not be created.
 */
function bodyOf({ rows, match, dry_run }: SentBatch, isAgain: boolean): Schemas['Batch'] {
  const keys = rows.map(({ key }) => key ?? null);
  const isKeyed = keys.some((key) => key !== null);
  return {
    rows: rows.map(({ row, again = row }) => (isAgain ? again : row)),
    ...(dry_run === true && { dry_run }),
    ...((isKeyed || match !== undefined) && { match: { ...match, ...(isKeyed && { keys }) } }),
  };
}

/** Of a row that an answer leaves out. */
export const noResult: RowResult = {
  status: 502,
  error: { code: 'UNEXPECTED_RESPONSE', message: 'There was no answer for this row.' },
};
