import { limits } from '../../lib/item/limits.ts';
import { type Client, unwrap } from '../http/catalogClient.ts';
import { requestOptions } from '../http/requestOptions.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { type Change, followChanges, latestCursor } from './followChanges.ts';

const day = 24 * 3_600_000;

/** So many changes are enough, so many requests are sent for them, and so many are kept while others follow. */
const enough = 50;
const maxRequests = 8;
const maxKept = 2_000;

export interface RecentChanges {
  readonly since: Date;
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Whether these are all since then. */
  readonly isComplete: boolean;
}

/** With the cursor that others follow, if these are complete. */
interface FoundChanges extends RecentChanges {
  readonly cursor: string | undefined;
}

/**
 * What has changed last: in a day, or in as long a time as few requests can read. It is given again with what follows, as
 * {@link followChanges} reads that.
 * @example for await (const { changes, since } of recentChanges(client)) show(changes, since);
 */
export async function* recentChanges(client: Client, options: PollOptions = {}): AsyncGenerator<RecentChanges, void> {
  const first = await retryUntilDone(async () => {
    const found = await findRecent(client, options);
    return { ...found, cursor: found.cursor ?? (await latestCursor(client, options)) };
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

/** The service lists changes from a time on, the oldest first, so the time is searched that has enough of them. */
async function findRecent(client: Client, options: PollOptions): Promise<FoundChanges> {
  let now = Date.now();
  let span = day;
  /** A time that has no more than a page of changes, and one that has more. */
  let complete = 1_000;
  let tooLong = day;
  let found: FoundChanges | undefined;
  for (let requests = 1; ; requests += 1) {
    const since = new Date(now - span);
    const query = { from: since.toISOString(), limit: limits.page.max };
    const sent = { params: { query }, ...requestOptions(options) };
    const page = unwrap(await client.GET('/api/v1/api/v1/changes', sent));
    const isComplete = !page.has_more;
    const isBetter = isComplete ? page.data.length > 0 : found?.isComplete !== true;
    if (found === undefined || isBetter) {
      const cursor = isComplete ? page.next_cursor : undefined;
      found = { since, changes: [...page.data].reverse(), isComplete, cursor };
    }
    if (isComplete) complete = span;
    else tooLong = span;
    const isEnough = found.isComplete && found.changes.length >= enough;
    if (complete === day || isEnough || requests === maxRequests) return found;
    now = Date.parse(page.read_at);
    span = Math.sqrt(complete * tooLong);
  }
}
