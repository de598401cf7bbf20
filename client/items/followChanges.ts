import { limits } from '../../lib/item/limits.ts';
import { type Client, type RequestOptions, requestOptions, type Schemas, unwrap } from '../http/catalogClient.ts';
import { nextTurn, type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { Store } from '../state/store.ts';

export type Change = Schemas['Change'];

/**
 * What has changed since a cursor or a time, and from then on, in the order of the contract. Asks every 10 seconds while
 * the page is visible, and where there is no page. Goes on by itself after a sleep, a failure, and a sign-in.
 * @param since a cursor, or a time for which changes are still kept
 * @returns changes, and the cursor from which another visit goes on if they are applied. It ends when the signal is aborted
 * @throws RequestError if it cannot go on: with the status 410 if what follows is no longer kept (begin again), 403 if
 * the account is not open, 422 if it is not a cursor
 * @example for await (const { changes } of followChanges(client, await startOfCopy(client))) apply(changes);
 */
export async function* followChanges(
  client: Client,
  since: string | Date,
  options: PollOptions = {},
): AsyncGenerator<{ readonly changes: readonly Change[]; readonly cursor: string }, void> {
  let from: { cursor: string } | { from: string } =
    typeof since === 'string' ? { cursor: since } : { from: since.toISOString() };
  for (;;) {
    const page = await retryUntilDone(() => loadChanges(client, from, { ...options, background: true }), options);
    if (page === undefined) return;
    from = { cursor: page.next_cursor };
    if (page.data.length > 0) yield { changes: page.data, cursor: page.next_cursor };
    // A page of large changes is short, so its length says nothing.
    if (!page.has_more) await nextTurn(options);
  }
}

/**
 * Loads a page of the changes that follow a cursor, or a time.
 * @throws RequestError
 */
export async function loadChanges(
  client: Client,
  after: { readonly cursor: string } | { readonly from: string },
  options: RequestOptions,
): Promise<Schemas['ChangeList']> {
  const params = { query: { ...after, limit: limits.page.max } };
  return unwrap(await client.GET('/api/v1/api/v1/changes', { params, ...requestOptions(options) }));
}

/** The list lags behind by moments, in milliseconds. The rest is for clocks of the service that differ. */
export const lag = 10 * 60_000;

/**
 * Where a copy of the items begins: call it before you list them, and follow the changes from then on. It is a time of the
 * service, because a user's clock can be wrong.
 * @example const begun = await startOfCopy(client);
 */
export async function startOfCopy(client: Client, options: RequestOptions = {}): Promise<Date> {
  const { read_at } = unwrap(await client.GET('/api/v1/api/v1/changes', requestOptions(options)));
  return new Date(Date.parse(read_at) - lag);
}

/**
 * The cursor after which everything follows that changes from now on.
 * @example const since = await latestCursor(client);
 */
export async function latestCursor(client: Client, options: RequestOptions = {}): Promise<string> {
  return unwrap(await client.GET('/api/v1/api/v1/changes', requestOptions(options))).next_cursor;
}

/**
 * Who has changed an item, when, and from what to what, newest first.
 * @example for await (const { updated_by, fields } of listItemChanges(client, 7)) show(updated_by, fields);
 */
export async function* listItemChanges(
  client: Client,
  id: number,
  options: RequestOptions = {},
): AsyncGenerator<Change, void> {
  let query: { cursor?: string } = {};
  for (;;) {
    const sent = { params: { path: { id }, query }, ...requestOptions(options) };
    const { data, next_cursor } = unwrap(await client.GET('/api/v1/api/v1/items/{id}/changes', sent));
    yield* data;
    if (next_cursor === null) return;
    query = { cursor: next_cursor };
  }
}

/**
 * Who has changed an item, newest first.
 * @example const history = new ItemHistory(); const stop = history.read(client, 7);
 */
export class ItemHistory extends Store<{ readonly id: number; readonly changes: readonly Change[] }> {
  constructor() {
    super({ id: 0, changes: [] });
  }

  /**
   * Reads the newest changes of an item, until it has them.
   * @param options how many of them `count` is, by default 20
   * @returns a function that stops it
   */
  readonly read = (
    client: Client,
    id: number,
    { count = 20 }: { readonly count?: number | undefined } = {},
  ): (() => void) => {
    const options = { signal: this.startTask(), background: true };
    const read = async (): Promise<void> => {
      const changes: Change[] = [];
      for await (const change of listItemChanges(client, id, options)) if (changes.push(change) === count) break;
      if (!options.signal.aborted) this.setState({ id, changes });
    };
    // Whoever may not read it sees no history.
    retryUntilDone(read, options).catch(() => undefined);
    return () => this.dispose();
  };
}

const day = 24 * 3_600_000;

/**
 * So many requests read a day, 100 changes each. If it has more, so many others search a shorter time, to some seconds:
 * what follows an import of thousands of rows is found.
 */
const maxPages = 5;
const maxSearches = 12;

/** So many changes of a shorter time are enough, and so many are kept while others follow. */
const enough = 50;
const maxKept = 2_000;

export interface RecentChanges {
  readonly since: Date;
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Whether these are all since then. */
  readonly isComplete: boolean;
}

interface FoundChanges extends RecentChanges {
  /** The place after these, from which later changes are read if these are complete. */
  readonly cursor: string;
  /** When the service has read them. */
  readonly now: number;
}

/**
 * What has changed last: in a day, or in as long a time as few requests can read. It is given again with what follows, as
 * {@link followChanges} reads that.
 * @example for await (const { changes, since } of recentChanges(client)) show(changes, since);
 */
export async function* recentChanges(client: Client, options: PollOptions = {}): AsyncGenerator<RecentChanges, void> {
  const first = await retryUntilDone(async () => {
    const { since, changes, isComplete, cursor } = await findRecent(client, options);
    return { since, isComplete, changes, cursor: isComplete ? cursor : await latestCursor(client, options) };
  }, options);
  if (first === undefined) return;
  const { cursor, ...found } = first;
  yield found;
  let { changes } = found;
  for await (const page of followChanges(client, cursor, options)) {
    changes = [...[...page.changes].reverse(), ...changes].slice(0, maxKept);
    yield { ...found, changes };
  }
}

/** The service lists changes from a time on, the oldest first: if a day has too many, a time is searched that has enough. */
async function findRecent(client: Client, options: PollOptions): Promise<FoundChanges> {
  let found = await readSince(client, new Date(Date.now() - day), maxPages, options);
  if (found.isComplete) return found;
  /** A time that has no more than a page of changes, and one that has more. */
  let short = 1_000;
  let long = day;
  for (let searches = 0; searches < maxSearches; searches += 1) {
    const span = Math.sqrt(short * long);
    const next = await readSince(client, new Date(found.now - span), 1, options);
    if (next.isComplete) short = span;
    else long = span;
    const isBetter = next.isComplete ? next.changes.length > 0 : !found.isComplete;
    if (isBetter) found = next;
    if (found.isComplete && found.changes.length >= enough) break;
  }
  return found;
}

async function readSince(client: Client, since: Date, pages: number, options: PollOptions): Promise<FoundChanges> {
  const changes: Change[] = [];
  let place: { from: string } | { cursor: string } = { from: since.toISOString() };
  for (let read = 1; ; read += 1) {
    const page: Schemas['ChangeList'] = await loadChanges(client, place, options);
    changes.unshift(...[...page.data].reverse());
    const cursor = page.next_cursor;
    const isComplete = !page.has_more;
    if (isComplete || read === pages) return { since, changes, isComplete, cursor, now: Date.parse(page.read_at) };
    place = { cursor };
  }
}
