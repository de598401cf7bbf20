import { limits } from '../../lib/item/limits.ts';
import { type Client, type RequestOptions, requestOptions, type Schemas, unwrap } from '../http/catalogClient.ts';
import { nextTurn, type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';

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
