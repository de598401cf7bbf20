import type { Client, Schemas } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { type Change, followChanges, latestCursor, loadChanges } from './followChanges.ts';

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
