import type { Client, Item } from '../http/catalogClient.ts';
import { type Notice, noticeOf } from '../http/messages.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { Store } from '../state/store.ts';
import { ItemSearch } from './itemSearch.ts';
import type { ListQuery } from './readItems.ts';

export interface ItemsQuery {
  readonly text: string;
  /** What else the items must be, such as `{ category: 3 }` or `{ include_inactive: true }`. */
  readonly filter?: ListQuery | undefined;
  /** By default 50. */
  readonly pageSize?: number | undefined;
}

export interface ItemListState {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly isFetching: boolean;
  /** Why it is not up to date. */
  readonly notice: Notice | undefined;
  /**
   * How the text is searched: by words, or as the beginning of a name and as a whole SKU or part number. The latter while
   * the list is loading, in accounts with more than 5,000 items, and with filters for inactive items.
   */
  readonly searchedBy: 'words' | 'beginnings';
  /** Grows when somebody has changed items. */
  readonly version: number;
}

const empty: ItemListState = {
  items: [],
  hasMore: false,
  isFetching: true,
  notice: undefined,
  searchedBy: 'beginnings',
  version: 0,
};

/** While others change items, lists are fetched again once in this time, in milliseconds. */
const changeInterval = 10_000;

/**
 * The list of items that a user searches. It keeps itself current, and an answer never replaces that to a later text. Call
 * `start` when it is shown, and what that returns when it is not.
 * @example const list = new ItemList(client); const stop = list.start(); list.setQuery({ text: 'oak desk' });
 */
export class ItemList extends Store<ItemListState> {
  readonly #client: Client;
  #query: ItemsQuery | undefined;
  /** Whether nothing of it is shown yet: then what a filter that matches little has found is shown bit by bit. */
  #isNew = false;
  #pages = 1;
  #shared: SharedSearch | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client) {
    super(empty);
    this.#client = client;
  }

  /** Keeps it current. @returns a function that stops that */
  readonly start = (): (() => void) => {
    this.#shared = sharedSearch(this.#client);
    const leave = this.#shared.join(this.#changed);
    this.#fetch(true);
    return () => {
      leave();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#shared = undefined;
      this.dispose();
    };
  };

  /** Shows the first page of what is asked for. */
  readonly setQuery = (query: ItemsQuery): void => {
    this.#query = query;
    this.#pages = 1;
    this.#shared?.keepLoaded();
    this.#isNew = true;
    this.#fetch(false);
  };

  /** Shows another page. */
  readonly loadMore = (): void => {
    this.#pages += 1;
    this.#fetch(false);
  };

  /**
   * Finds all items of the query, also those that are not shown, as for an export.
   * @throws RequestError
   */
  readonly findAll = async (): Promise<readonly Item[]> => {
    const { text = '', filter } = this.#query ?? {};
    return sharedSearch(this.#client).search.find(text, { filter, limit: Number.POSITIVE_INFINITY });
  };

  /** Takes an item that the user has saved, which the service may not list yet. */
  readonly upsert = (item: Item): void => {
    this.#shared?.search.upsert(item);
    this.#shared?.changed();
  };

  /** Fetches it again, as after an import, whose changes would be known some seconds later. */
  readonly refresh = async (): Promise<void> => {
    const shared = this.#shared;
    if (shared !== undefined) await retryUntilDone(() => shared.search.refresh(), { background: true });
    shared?.changed();
  };

  /** A burst of changes is fetched at its beginning, every ten seconds, and at its end. */
  readonly #changed = (byOthers: boolean): void => {
    const pause = this.#changedAt + changeInterval - Date.now();
    if (!byOthers || pause <= 0) this.#showChanges();
    else this.#timer ??= setTimeout(this.#showChanges, pause);
  };

  readonly #showChanges = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changedAt = Date.now();
    this.#set({ version: this.getState().version + 1 });
    this.#fetch(true);
  };

  #set(state: Partial<ItemListState>): void {
    this.setState({ ...this.getState(), ...state });
  }

  /** @param background true if it is not the user who asks */
  async #fetch(background: boolean): Promise<void> {
    const [query, shared] = [this.#query, this.#shared];
    if (query === undefined || shared === undefined) return;
    const signal = this.startTask();
    const count = this.#pages * (query.pageSize ?? 50);
    const set = (state: Partial<ItemListState>) => signal.aborted || this.#set(state);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const showSoFar = (found: readonly Item[]): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        set({ items: found.slice(0, count), hasMore: false });
      });
    };
    const sending = { signal, background, onProgress: this.#isNew ? showSoFar : undefined };
    const options = { ...sending, filter: query.filter, limit: count + 1 };
    const list = async (): Promise<void> => {
      const searchedBy = shared.search.canFind(query.filter) ? 'words' : 'beginnings';
      const items = await shared.search.find(query.text, options);
      clearTimeout(timer);
      if (signal.aborted) return;
      this.#isNew = false;
      const hasMore = items.length > count;
      set({ items: items.slice(0, count), hasMore, isFetching: false, notice: undefined, searchedBy });
    };
    const onFailure = (error: unknown): void => {
      options.background = true; // from now on, nobody waits
      set({ isFetching: false, notice: { code: 'retrying', reason: noticeOf(error) } });
    };
    set({ isFetching: true });
    await retryUntilDone(list, { signal, onFailure }).catch((error) =>
      set({ isFetching: false, notice: noticeOf(error) }),
    );
  }
}

/** @param byOthers false for what this user has done, which is shown at once */
type Listener = (byOthers: boolean) => void;

const searches = new WeakMap<Client, SharedSearch>();

/** One search for all lists of a client: what one of them has loaded, the others need not. */
class SharedSearch {
  readonly client: Client;
  readonly search: ItemSearch;
  readonly #listeners = new Set<Listener>();
  readonly #left = new AbortController();
  #isLoading = false;

  constructor(client: Client) {
    this.client = client;
    const onChange = () => this.changed(true);
    this.search = new ItemSearch(client, { signal: this.#left.signal, background: true, onChange });
  }

  /** Notifies all lists that something else may be found from now on. */
  changed(byOthers = false): void {
    for (const listener of this.#listeners) listener(byOthers);
  }

  /** Loads the list, and follows it until the last one has left. @returns `leave` */
  join(onChange: Listener): () => void {
    searches.set(this.client, this);
    this.#listeners.add(onChange);
    this.keepLoaded();
    return () => {
      this.#listeners.delete(onChange);
      // Unless a list takes part again at once, as when an effect is repeated.
      queueMicrotask(() => {
        if (this.#listeners.size > 0) return;
        this.#left.abort();
        searches.delete(this.client);
      });
    };
  }

  /** Loads the list if it is not followed any more, as when a firewall has refused that for a while. */
  keepLoaded(): void {
    if (this.#isLoading || this.search.isKept()) return;
    this.#isLoading = true;
    retryUntilDone(() => this.search.load(), { signal: this.#left.signal })
      // Whoever may read nothing finds nothing either.
      .then(
        () => this.changed(),
        () => undefined,
      )
      .finally(() => {
        this.#isLoading = false;
      });
  }
}

const sharedSearch = (client: Client): SharedSearch => searches.get(client) ?? new SharedSearch(client);
