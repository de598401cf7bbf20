import type { Client } from '../http/catalogClient.ts';
import { untilDone } from '../http/untilDone.ts';
import { ItemSearch } from './itemSearch.ts';

interface Shared {
  readonly search: ItemSearch;
  readonly listeners: Set<() => void>;
  readonly left: AbortController;
  isLoading: boolean;
}

/** One search for all lists of a client: what one of them has loaded, the others need not. */
const searches = new WeakMap<Client, Shared>();

/**
 * Takes part in the search of a client, which is loaded, and followed until the last one has left it.
 * @param onChange called when something else may be found from now on
 * @returns `changed`, which tells all who take part, and `leave`
 */
export function joinSearch(client: Client, onChange: () => void) {
  const shared = searches.get(client) ?? newShared(client);
  const { search, listeners, left } = shared;
  listeners.add(onChange);
  const changed = () => tellAll(listeners);
  keepLoaded(shared);
  return {
    client,
    search,
    changed,
    /** Loads it if it is not followed any more, as when a firewall has refused that for a while. */
    keepLoaded: () => keepLoaded(shared),
    leave(): void {
      listeners.delete(onChange);
      // Unless a list takes part again at once, as when an effect is repeated.
      queueMicrotask(() => {
        if (listeners.size > 0) return;
        left.abort();
        searches.delete(client);
      });
    },
  };
}

function newShared(client: Client): Shared {
  const left = new AbortController();
  const listeners = new Set<() => void>();
  const options = { signal: left.signal, background: true, onChange: () => tellAll(listeners) };
  const shared = { left, listeners, search: new ItemSearch(client, options), isLoading: false };
  searches.set(client, shared);
  return shared;
}

function keepLoaded(shared: Shared): void {
  const { search, listeners, left } = shared;
  if (shared.isLoading || search.isKept) return;
  shared.isLoading = true;
  untilDone(() => search.load(), { signal: left.signal })
    // Whoever may read nothing finds nothing either.
    .then(
      () => tellAll(listeners),
      () => undefined,
    )
    .finally(() => {
      shared.isLoading = false;
    });
}

function tellAll(listeners: ReadonlySet<() => void>): void {
  for (const listener of listeners) listener();
}
