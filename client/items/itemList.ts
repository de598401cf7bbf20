import { type Client, type Item, type Notice, noticeOf } from '../http/catalogClient.ts';
import type { RequestOptions } from '../http/requestOptions.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { Store } from '../state/store.ts';
import { findItems } from './findItems.ts';
import type { ListQuery } from './readItems.ts';
import { type SharedSearch, sharedSearch } from './sharedSearch.ts';

export interface ItemsWanted {
  /** Words of active items; with a `query`, the beginning of names, or a whole SKU or part number. */
  readonly text: string;
  /** If given, the service lists what this filters, such as `{ include_inactive: true }`. */
  readonly query?: ListQuery | undefined;
  readonly pageSize?: number | undefined;
}

export interface ItemListState {
  readonly items: readonly Item[];
  readonly isMore: boolean;
  readonly isBusy: boolean;
  /** Why it is not up to date. */
  readonly failure: Notice | undefined;
  /** How the text is searched: as words, or as the beginning of a name and as a whole code. */
  readonly searchedBy: 'words' | 'beginnings';
  /** Grows with each change of somebody. */
  readonly version: number;
}

const empty: ItemListState = {
  items: [],
  isMore: false,
  isBusy: true,
  failure: undefined,
  searchedBy: 'beginnings',
  version: 0,
};

/**
 * The list of items that a user searches. It keeps itself current, and an answer never replaces that to a later text.
 * @example const list = new ItemList(); const stop = list.start(client); list.show({ text: 'oak desk' });
 */
export class ItemList extends Store<ItemListState> {
  #wanted: ItemsWanted | undefined;
  #pages = 1;
  #shared: SharedSearch | undefined;

  constructor() {
    super(empty);
  }

  /** Keeps it current by this client. @returns what stops that */
  readonly start = (client: Client): (() => void) => {
    this.#shared = sharedSearch(client);
    const leave = this.#shared.join(() => {
      this.#set({ version: this.getState().version + 1 });
      this.#list(true);
    });
    this.#list(true);
    return () => {
      leave();
      this.#shared = undefined;
      this.dispose();
    };
  };

  /** Shows the first page of what is wanted. */
  readonly show = (wanted: ItemsWanted): void => {
    this.#wanted = wanted;
    this.#pages = 1;
    this.#shared?.keepLoaded();
    this.#list(false);
  };

  /** Shows another page. */
  readonly showMore = (): void => {
    this.#pages += 1;
    this.#list(false);
  };

  /** Takes an item that the user has saved, which the service may not list yet. */
  readonly put = (item: Item): void => {
    this.#shared?.search.put(item);
    this.#shared?.changed();
  };

  #set(state: Partial<ItemListState>): void {
    this.setState({ ...this.getState(), ...state });
  }

  /** @param background whether it is not the user who asks */
  async #list(background: boolean): Promise<void> {
    const [wanted, shared] = [this.#wanted, this.#shared];
    if (wanted === undefined || shared === undefined) return;
    const signal = this.startTask();
    const options = { signal, background };
    const count = this.#pages * (wanted.pageSize ?? 50);
    const set = (state: Partial<ItemListState>) => signal.aborted || this.#set(state);
    const list = async (): Promise<void> => {
      const items = await findWanted(shared, wanted, count + 1, options);
      const searchedBy = wanted.query ? 'beginnings' : shared.search.searchedBy;
      set({
        items: items.slice(0, count),
        isMore: items.length > count,
        isBusy: false,
        failure: undefined,
        searchedBy,
      });
    };
    const onFailure = (error: unknown): void => {
      options.background = true; // from now on, nobody waits
      set({ isBusy: false, failure: { code: 'retrying', reason: noticeOf(error) } });
    };
    set({ isBusy: true });
    await retryUntilDone(list, { signal, onFailure }).catch((error) =>
      set({ isBusy: false, failure: noticeOf(error) }),
    );
  }
}

async function findWanted(
  { client, search }: SharedSearch,
  { text, query }: ItemsWanted,
  limit: number,
  options: RequestOptions,
): Promise<readonly Item[]> {
  if (query === undefined) return search.find(text, limit, options);
  const items: Item[] = [];
  for await (const item of findItems(client, text, { ...query, limit: 100 }, options))
    if (items.push(item) === limit) break;
  return items;
}
