import { customKey } from '../../lib/item/customName.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { groupBy, parts } from '../../lib/item/lists.ts';
import {
  type CallerStorage,
  type Client,
  type Item,
  loadCatalog,
  newKey,
  type Schemas,
  unwrap,
} from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { nextTurn, type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { divideRows, sendBatches } from '../http/sendBatches.ts';
import { listItems, loadItems } from '../items/readItems.ts';
import { writesIn } from '../storage/ranges.ts';
import { runUndo, type SentRow, type UndoJournal, type UndoProgress, type UndoService } from './plan/runUndo.ts';
import type { FieldReport, UndoChange, UndoIdentifier, UndoItem, UndoRow, UndoSelection } from './plan/undoPlan.ts';
import { removeUndoJournals, undoJournal } from './undoJournal.ts';
import type { UndoTarget } from './undoTarget.ts';

export type { FieldReport, UndoProgress };

export interface PreviewProgress {
  readonly changes: number;
  /** When the last of the changes was written. They end now. */
  readonly readTo: Date;
  readonly items: number;
}

export interface PreviewOptions extends RequestOptions {
  readonly onProgress?: ((progress: PreviewProgress) => void) | undefined;
  /** That of the undos: what an earlier one has taken back is nobody's later change. */
  readonly storage?: CallerStorage | undefined;
}

export interface UndoOptions extends PollOptions {
  /** Keeps how to go on until all is done. With `localStorage`, another tab and another visit can go on. */
  readonly storage: CallerStorage | undefined;
}

type Attempt = <Result>(read: (options: RequestOptions) => Promise<Result>) => Promise<Result>;

const pageSize = 100;
const lookupsAtOnce = 6;

/**
 * What an undo would do with each field, if none is open. Writes nothing.
 * @example const back = (await preview(client, target)).filter(({ result }) => result === 'put back');
 * @throws RequestError with the status 410 if changes from that time on are no longer kept; RangeError if the target does
 * not end at a later time, which has passed, or names a field that there is not
 */
export async function preview(
  client: Client,
  target: UndoTarget,
  options: PreviewOptions = {},
): Promise<readonly FieldReport[]> {
  const service = serviceOf(client, target, (read) => read(options), {}, options.onProgress);
  const { storage } = options;
  const undone = storage && undoJournal(storage, await loadCatalog(client, options), target).undone;
  const journal: UndoJournal = { undone: undone ?? new Set(), add: () => undefined };
  const { value } = await runUndo(selectionOf(target), service, journal).next();
  return value?.report ?? [];
}

/**
 * Puts back what users have changed by mistake. Nothing that others have written is lost. If it is interrupted, call it
 * again with the same target and the same storage: it goes on. Done twice, it does nothing.
 * @returns the progress: after looks at the items, after batches, and at the end, when all that it has changed is
 * recorded. If it finds no change, it waits until a later one is recorded. It ends early when the signal is aborted
 * @example for await (const { updates, left } of undo(client, target, { storage: localStorage })) show(updates, left);
 * @throws RequestError with the status 410 if changes from that time on are no longer kept, 403 if the user may not write;
 * RangeError if the target does not end at a later time, which has passed, or names a field that there is not
 */
export async function* undo(
  client: Client,
  target: UndoTarget,
  { storage, ...options }: UndoOptions,
): AsyncGenerator<UndoProgress, void> {
  const attempt: Attempt = async (read) => {
    const result = await retryUntilDone(() => read(options), { ...options, inBackground: true });
    if (result === undefined) throw stopped;
    return result;
  };
  try {
    const caller = await attempt((sending) => loadCatalog(client, sending));
    const journal = undoJournal(storage, caller, target);
    const service = serviceOf(client, target, attempt, options);
    let isRejected = false;
    for await (const progress of runUndo(selectionOf(target), service, journal)) {
      isRejected = progress.rejected.size > 0;
      if (progress.updates > 0) journal.keep();
      yield progress;
    }
    if (!isRejected) journal.end();
  } catch (error) {
    if (error !== stopped) throw error;
  }
}

/**
 * Call it at sign-out, after the signal was aborted: nobody else may see what the user has left open.
 * @example forgetUndos(localStorage);
 */
export const forgetUndos = (storage: CallerStorage): void => removeUndoJournals(storage);

function selectionOf({ writes, ...target }: UndoTarget): UndoSelection {
  const byItem = groupBy(writesIn(writes ?? {}), ({ item }) => item);
  const revisions = [...byItem].map(([item, known]) => [item, new Set(known.map(({ revision }) => revision))] as const);
  return { ...target, revisions: new Map(revisions) };
}

const stopped = new Error('The undo was stopped.');

/** How far clocks may differ: the first change may be recorded so long before its time. */
const clockMargin = 600_000;

/** @throws RangeError as {@link undo} does */
function checkTarget({ from, to, fields = [] }: UndoTarget): void {
  const isField = (name: string) => customKey(name) !== undefined || fieldNames.some((field) => field === name);
  const unknown = fields.find((name) => !isField(name));
  if (unknown !== undefined) throw new RangeError(`There is no field ${unknown}.`);
  if (!(+from < +to)) throw hasNotPassed();
}

const hasNotPassed = () => new RangeError('An undo ends at a later time, which has passed.');

/** @throws RangeError as {@link undo} does */
function serviceOf(
  client: Client,
  target: UndoTarget,
  attempt: Attempt,
  options: PollOptions,
  onProgress: PreviewOptions['onProgress'] = () => {},
): UndoService {
  checkTarget(target);
  let read: PreviewProgress = { changes: 0, readTo: target.from, items: 0 };
  const tell = (more: Partial<PreviewProgress>): void => {
    read = { ...read, ...more };
    onProgress(read);
  };
  const nextPage = changePages(client, target, attempt);
  /** Whether the page that follows would be empty. */
  let isEnd = false;
  return {
    nextChanges: async (pause) => {
      const interval = Math.min(pause, options.interval ?? pause);
      const isKnown = isEnd && pause === 0;
      isEnd = false;
      if (isKnown) return [];
      if (pause > 0) await nextTurn({ ...options, interval, inBackground: true });
      const { data, has_more } = await nextPage();
      isEnd = data.length > 0 && has_more === false;
      const readTo = new Date(data.at(-1)?.updated_at ?? read.readTo);
      tell({ changes: read.changes + data.length, readTo });
      return data as UndoChange[];
    },
    loadCatalog: () => attempt((sending) => loadCatalog(client, sending)),
    findItems: async (ids) => {
      const found: Item[] = [];
      for (const some of parts(ids, pageSize)) {
        found.push(...(await attempt((sending) => loadItems(client, some, sending))));
        tell({ items: read.items + some.length });
      }
      return found as UndoItem[];
    },
    findHolders: async (identifiers) => {
      const find = ({ name, text }: UndoIdentifier, sending: RequestOptions) =>
        listItems(client, { [name]: text, include_inactive: true }, sending).next();
      const found: Item[] = [];
      for (const some of parts(identifiers, lookupsAtOnce)) {
        const answers = some.map((identifier) => attempt((sending) => find(identifier, sending)));
        found.push(...(await Promise.all(answers)).flatMap(({ value }) => value ?? []));
      }
      return found as UndoItem[];
    },
    send: (rows) => sendRows(client, rows, options),
  };
}

/** @returns the next page of changes at each call @throws RangeError if the target ends later than now */
function changePages(client: Client, { from, to }: UndoTarget, attempt: Attempt): () => Promise<Schemas['ChangeList']> {
  let place: { from: string } | { cursor: string } = { from: new Date(+from - clockMargin).toISOString() };
  return async () => {
    const query = { ...place, limit: pageSize };
    const page = await attempt(async (sending) =>
      unwrap(await client.GET('/api/v1/api/v1/changes', { params: { query }, ...requestOptions(sending) })),
    );
    // By the clock that is ahead. The service's is told to the second, and so is the end of an import, rounded up.
    if (+to > Math.max(Date.now(), Date.parse(page.read_at ?? '') + 2_000 || 0)) throw hasNotPassed();
    place = { cursor: page.next_cursor };
    return page;
  };
}

async function* sendRows(client: Client, rows: readonly UndoRow[], options: PollOptions) {
  // A row has a revision, so it can never be written twice.
  const rowsOf = (sent: readonly UndoRow[]) => sent.map((row) => ({ row: row as Schemas['Row'] }));
  const batches = divideRows(rows, (row) => row).map((sent) => ({ sent, key: newKey(), rows: rowsOf(sent) }));
  for await (const { batch, results } of sendBatches(client, batches, options))
    yield batch.sent.map((row, index): SentRow => ({ row, ...results[index] }));
  if (options.signal?.aborted === true) throw stopped;
}
