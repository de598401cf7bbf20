import {
  runUndo,
  type SentRow,
  type UndoNote,
  type UndoProgress,
  type UndoService,
} from '../lib/changes/undo/runUndo.ts';
import type {
  FieldReport,
  UndoChange,
  UndoIdentifier,
  UndoItem,
  UndoRow,
  UndoSelection,
} from '../lib/changes/undo/undo.ts';
import { parts } from '../lib/item/lists.ts';
import { type CallerStorage, type Client, dataOf, type Item, loadCatalog, type Schemas } from './catalogClient.ts';
import { Notes } from './notes.ts';
import { listItems, loadItems } from './readItems.ts';
import { type RequestOptions, requestOptions } from './requestOptions.ts';
import { divideRows, sendBatches } from './sendBatches.ts';
import { type PollOptions, untilDone } from './untilDone.ts';

export type { FieldReport, UndoProgress };

/** Which changes to undo. */
export interface Mistake extends Pick<UndoSelection, 'users' | 'items' | 'fields'> {
  readonly kinds?: readonly Schemas['Change']['kind'][];
  /** Changes that were recorded (`recorded_at`) at this time or later, and before the other one. */
  readonly from: Date;
  readonly to: Date;
}

export interface UndoOptions extends PollOptions {
  /** Keeps how to go on until all is done. With `localStorage`, another tab and another visit can go on. */
  readonly storage: CallerStorage;
}

/** What is kept of an undo that is open. */
type Kept = Pick<UndoSelection, 'first' | 'last'> & Pick<UndoNote, 'freed'>;

/** Reads, and perhaps tries again. */
type Attempt = <Result>(read: (options: RequestOptions) => Promise<Result>) => Promise<Result>;

const slot = 'catalog.undo';
const pageSize = 100;
/** How many codes are looked up at the same time. */
const lookups = 6;

/**
 * What an undo would do with each field, if none is open. Writes nothing.
 * @throws RequestError with the status 410 if changes from that time on are no longer kept; RangeError if the mistake does
 * not end at a later time, which has passed
 */
export async function preview(
  client: Client,
  mistake: Mistake,
  options: RequestOptions = {},
): Promise<readonly FieldReport[]> {
  const once: Attempt = (read) => read(options);
  const feed = new ChangeFeed(client, mistake, once);
  const selection = { ...mistake, ...(await feed.numbers()) };
  const undoing = runUndo(selection, serviceOf(client, feed, once, {}), { freed: [], keep: () => undefined });
  const { value } = await undoing.next();
  return value?.report ?? [];
}

/**
 * Puts back what users have changed by mistake. Nothing that others have written is lost. If it is interrupted, call it
 * again with the same mistake and the same storage: it goes on. Done twice, it does nothing.
 * @returns the progress: after looks at the items, after batches, and at the end, when nothing is left. It ends early when
 * the signal is aborted
 * @throws RequestError with the status 410 if changes from that time on are no longer kept, 403 if the user may not write;
 * RangeError if the mistake does not end at a later time, which has passed
 */
export async function* undo(
  client: Client,
  mistake: Mistake,
  { storage, ...options }: UndoOptions,
): AsyncGenerator<UndoProgress, void> {
  const attempt: Attempt = async (read) => {
    const result = await untilDone(async () => ({ of: await read(options) }), { ...options, inBackground: true });
    if (result === undefined) throw stopped;
    return result.of;
  };
  try {
    const { account, user } = await attempt((sending) => loadCatalog(client, sending));
    const { users, from, to, kinds, items, fields } = mistake;
    const name = JSON.stringify([account, user, users, from, to, kinds, items, fields]);
    const notes = new Notes<Kept>(storage, slot);
    const feed = new ChangeFeed(client, mistake, attempt);
    const begun: Kept = notes.read(name) ?? { ...(await feed.numbers()), freed: [] };
    let { freed } = begun;
    const note: UndoNote = {
      /** With what other tabs have freed, and also if the storage has been cleared. */
      get freed() {
        const others = notes.read(name)?.freed.filter((row) => !freed.some((one) => isSame(one, row))) ?? [];
        freed = [...freed, ...others];
        return freed;
      },
      keep: (all) => {
        freed = all;
        notes.write(name, { ...begun, freed: note.freed });
      },
    };
    let isRejected = false;
    for await (const progress of runUndo({ ...mistake, ...begun }, serviceOf(client, feed, attempt, options), note)) {
      isRejected = progress.rejected.size > 0;
      yield progress;
    }
    // An item that was refused may be without its code.
    if (!isRejected) notes.write(name, undefined);
  } catch (error) {
    if (error !== stopped) throw error;
  }
}

const isSame = (one: UndoRow, other: UndoRow) => one.id === other.id && one.revision === other.revision;

/**
 * Call it at sign-out, after the signal was aborted: nobody else may see what the user has left open. Codes that items
 * have given up for a moment are then not put back.
 */
export const forgetUndos = (storage: CallerStorage): void => storage.removeItem(slot);

/** Thrown once the signal is aborted. */
const stopped = new Error('The undo was stopped.');

/** The changes that were recorded since a mistake began. */
class ChangeFeed {
  readonly #client: Client;
  readonly #attempt: Attempt;
  #place: { readonly from: string } | { readonly cursor: string };
  readonly #to: number;
  /** Pages that were read to find the numbers. */
  readonly #read: Schemas['Change'][][] = [];

  /** @throws RangeError if the mistake does not end at a later time, which has passed */
  constructor(client: Client, { from, to }: Mistake, attempt: Attempt) {
    if (!(+from < +to && +to <= Date.now())) throw new RangeError('An undo ends at a later time, which has passed.');
    this.#client = client;
    this.#to = +to;
    this.#attempt = attempt;
    this.#place = { from: from.toISOString() };
  }

  /** The numbers of the first change and of the last one before the end, so that later ones are never among them. */
  async numbers(): Promise<Pick<UndoSelection, 'first' | 'last'>> {
    const isMeant = ({ recorded_at }: Schemas['Change']) => Date.parse(recorded_at ?? '') < this.#to;
    do this.#read.push(await this.#readPage());
    while (this.#read.at(-1)?.some(isMeant));
    const meant = this.#read.flat().filter(isMeant);
    return { first: meant[0]?.number ?? 0, last: meant.at(-1)?.number ?? 0 };
  }

  /** The next page. It is empty at the end. */
  next = async () => (this.#read.shift() ?? (await this.#readPage())) as UndoChange[];

  async #readPage(): Promise<Schemas['Change'][]> {
    const query = { ...this.#place, limit: pageSize };
    const page = await this.#attempt(async (options) =>
      dataOf(await this.#client.GET('/api/v1/api/v1/changes', { params: { query }, ...requestOptions(options) })),
    );
    this.#place = { cursor: page.next_cursor };
    return page.data;
  }
}

/** The service for `runUndo`. */
function serviceOf(client: Client, feed: ChangeFeed, attempt: Attempt, options: PollOptions): UndoService {
  const find = async ({ name, text }: UndoIdentifier, sending: RequestOptions): Promise<readonly Item[]> => {
    const { value } = await listItems(client, { [name]: text, include_inactive: true }, sending).next();
    return value === undefined ? [] : [value];
  };
  return {
    nextChanges: feed.next,
    loadCatalog: () => attempt((sending) => loadCatalog(client, sending)),
    findItems: async (ids) => {
      const found: Item[] = [];
      for (const some of parts(ids, pageSize))
        found.push(...(await attempt((sending) => loadItems(client, some, sending))));
      return found as UndoItem[];
    },
    findHolders: async (identifiers) => {
      const found: Item[] = [];
      for (const some of parts(identifiers, lookups))
        found.push(...(await Promise.all(some.map((one) => attempt((sending) => find(one, sending))))).flat());
      return found as UndoItem[];
    },
    async *send(rows) {
      const batches = divideRows(rows, (row) => row).map((sent) => ({
        sent,
        key: crypto.randomUUID(),
        body: { rows: sent as Schemas['Row'][] },
      }));
      // A row has a revision, so it can never be written twice.
      const until = Number.POSITIVE_INFINITY;
      for await (const { batch, results } of sendBatches(client, batches, { ...options, until }))
        yield batch.sent.map((row, index): SentRow => ({ row, ...results[index] }));
      if (options.signal?.aborted === true) throw stopped;
    },
  };
}
