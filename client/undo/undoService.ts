import { parts } from '../../lib/item/lists.ts';
import type { Client, Item, RequestOptions, Schemas } from '../http/catalogClient.ts';
import { loadCatalog, newKey } from '../http/catalogClient.ts';
import { nextTurn, type PollOptions } from '../http/retryUntilDone.ts';
import { divideRows, sendBatches } from '../http/sendBatches.ts';
import { type Change, latestCursor, listItemChanges, loadChanges } from '../items/followChanges.ts';
import { loadItems, loadPage } from '../items/readItems.ts';
import type { SentRow, UndoService } from './plan/runUndo.ts';
import type { UndoRow } from './plan/undoPlan.ts';
import { hasNotPassed, type UndoTarget } from './undoTarget.ts';

/** Carries out a read, once or until it succeeds. */
export type Attempt = <Result>(read: (options: RequestOptions) => Promise<Result>) => Promise<Result>;

const readsAtOnce = 6;

/** How far clocks may differ: the first change may be recorded so long before its target begins. */
const clockMargin = 600_000;

/** What an undo needs of the service, by requests. */
export function undoService(client: Client, target: UndoTarget, attempt: Attempt, options: PollOptions): UndoService {
  const pages = changePages(client, target, attempt);
  return {
    nextChanges: async (pause) => {
      const interval = Math.min(pause, options.interval ?? pause);
      if (pause > 0) await nextTurn({ ...options, interval, inBackground: true });
      return (await pages.next()).value;
    },
    loadCatalog: () => attempt((sending) => loadCatalog(client, sending)),
    findItems: (ids) => attempt((sending) => loadItems(client, ids, sending)),
    findHolders: async (identifiers) => {
      const found: Item[] = [];
      for (const some of parts(identifiers, readsAtOnce)) {
        const pages = some.map(({ name, text }) =>
          attempt((sending) => loadPage(client, { [name]: text, include_inactive: true }, sending)),
        );
        for (const { data } of await Promise.all(pages)) found.push(...data);
      }
      return found;
    },
    send: (rows) => sendRows(client, rows, options),
  };
}

/**
 * The changes from a target's beginning on, page by page; an empty page where there are no more for now. Once the feed has
 * taken as many requests as there are items, and goes on, the items' own histories take fewer: they are read instead, and
 * then what the feed gets from now on.
 * @throws RangeError if the target ends later than now
 */
async function* changePages(
  client: Client,
  { from, to, items }: UndoTarget,
  attempt: Attempt,
): AsyncGenerator<readonly Change[], never> {
  const begin = +from - clockMargin;
  const readHistory = (id: number): Promise<Change[]> =>
    attempt(async (sending) => {
      const changes: Change[] = [];
      for await (const change of listItemChanges(client, id, sending)) {
        if (Date.parse(change.updated_at) < begin) break;
        changes.push(change);
      }
      return changes;
    });
  let place: { from: string } | { cursor: string } = { from: new Date(begin).toISOString() };
  for (let count = 1; ; count += 1) {
    const page: Schemas['ChangeList'] = await attempt((sending) => loadChanges(client, place, sending));
    const { data, next_cursor: cursor, has_more: hasMore, read_at: readAt } = page;
    // By the clock that is ahead. The service's is told to the second, and so is the end of an import, rounded up.
    if (+to > Math.max(Date.now(), Date.parse(readAt) + 2_000)) throw hasNotPassed();
    yield data;
    if (!hasMore && data.length > 0) yield [];
    place = { cursor };
    if (!hasMore || count !== items?.length) continue;
    place = { cursor: await attempt((sending) => latestCursor(client, sending)) };
    for (const some of parts(items, readsAtOnce)) {
      const changes = (await Promise.all(some.map(readHistory))).flat();
      if (changes.length > 0) yield changes;
    }
  }
}

async function* sendRows(client: Client, rows: readonly UndoRow[], options: PollOptions) {
  const batches = divideRows(rows, (row) => row).map((sent) => ({
    sent,
    rows: sent.map((row) => ({ row: row as Schemas['Row'], key: newKey() })),
  }));
  for await (const { batch, results } of sendBatches(client, batches, options))
    yield batch.sent.map((row, index): SentRow => ({ row, ...results[index] }));
  options.signal?.throwIfAborted();
}
