import type { Client } from '../http/catalogClient.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { ItemSearch } from './itemSearch.ts';

const searches = new WeakMap<Client, SharedSearch>();

/** One search for all lists of a client: what one of them has loaded, the others need not. */
export class SharedSearch {
  readonly client: Client;
  readonly search: ItemSearch;
  readonly #listeners = new Set<() => void>();
  readonly #left = new AbortController();
  #isLoading = false;

  constructor(client: Client) {
    this.client = client;
    this.search = new ItemSearch(client, { signal: this.#left.signal, background: true, onChange: this.changed });
  }

  /** Tells all lists that something else may be found from now on. */
  readonly changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  /** Loads the list, and follows it until the last one has left. @returns what leaves */
  join(onChange: () => void): () => void {
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
    if (this.#isLoading || this.search.isKept) return;
    this.#isLoading = true;
    retryUntilDone(() => this.search.load(), { signal: this.#left.signal })
      // Whoever may read nothing finds nothing either.
      .then(this.changed, () => undefined)
      .finally(() => {
        this.#isLoading = false;
      });
  }
}

export const sharedSearch = (client: Client): SharedSearch => searches.get(client) ?? new SharedSearch(client);
