import { limits } from '../../lib/item/limits.ts';
import { type Client, dataOf, type Schemas } from './catalogClient.ts';
import { requestOptions } from './requestOptions.ts';
import { type PollOptions, untilDone } from './untilDone.ts';
import { wait } from './wait.ts';

export type RowResult = Schemas['RowResult'];

export interface SentBatch {
  readonly body: Schemas['Batch'];
  /** Its `Idempotency-Key`: always the same one for the same rows. A dry run needs none. */
  readonly key?: string;
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
export function divideRows<One>(all: readonly One[], rowOf: (one: One) => object): One[][] {
  const divided: One[][] = [];
  let bytes = maxBytes;
  for (const one of all) {
    const size = new TextEncoder().encode(JSON.stringify(rowOf(one))).length;
    bytes += size;
    if (bytes > maxBytes || divided.at(-1)?.length === limits.rows.max) {
      divided.push([]);
      bytes = size;
    }
    divided.at(-1)?.push(one);
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

/** Repeats a batch with its key until no row is open. Rows that are decided become empty ones, which are refused. */
async function sendBatch(
  client: Client,
  { key, body }: SentBatch,
  options: PollOptions & { readonly signal: AbortSignal; readonly until: number },
): Promise<readonly RowResult[] | undefined> {
  const params = { header: key === undefined ? {} : { 'Idempotency-Key': key } };
  const failures = body.rows.map(() => 0);
  let known: readonly RowResult[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const decided = known.map((result) => (result.status < 500 ? result : undefined));
    const rows = body.rows.map((row, index) => (decided[index] === undefined ? row : {}));
    const results = await untilDone(
      async () => {
        // The machine may have slept since the last attempt.
        if (Date.now() >= options.until) return undefined;
        const sent = { params, body: { ...body, rows }, ...requestOptions(options) };
        const answer = await client.POST('/api/v1/api/v1/items/batch', sent);
        // With one row, the answer is that row's: it is too large, or it fails.
        const isOfRow = ['PAYLOAD_TOO_LARGE', 'INTERNAL_ERROR'].includes(answer.error?.error.code ?? '');
        if (isOfRow && body.rows.length === 1)
          return [{ status: answer.response.status, ...answer.error } as RowResult];
        const { data } = dataOf(answer);
        return rows.map((_, index): RowResult => decided[index] ?? data[index] ?? noResult);
      },
      { ...options, inBackground: true },
    );
    if (results === undefined) return undefined;
    for (const [index, { status }] of results.entries())
      failures[index] = status >= 500 && status !== 503 ? (failures[index] ?? 0) + 1 : 0;
    const open = results.find(({ status }, index) => status >= 500 && (failures[index] ?? 0) < maxFailures);
    if (open === undefined) return results;
    known = results;
    options.onFailure?.(new Error(open.error?.message));
    await wait(1_000 * Math.min(attempt, 30) * (0.5 + Math.random()), options.signal);
  }
}

/** Of a row that an answer leaves out. */
export const noResult: RowResult = {
  status: 502,
  error: { code: 'UNEXPECTED_RESPONSE', message: 'There was no answer for this row.' },
};
