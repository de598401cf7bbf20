import type { Client } from '../http/catalogClient.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { ItemSearch } from './itemSearch.ts';

/** @param byOthers false for what this user has done, which is shown at once */
type Listener = (byOthers: boolean) => void;

const searches = new WeakMap<Client, SharedSearch>();

/** One search for all lists of a client: what one of them has loaded, the others need not. */
export class SharedSearch {
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

export const sharedSearch = (client: Client): SharedSearch => searches.get(client) ?? new SharedSearch(client);
