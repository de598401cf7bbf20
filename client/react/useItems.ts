import { useEffect, useReducer, useRef, useState } from 'react';
import type { Client, Item } from '../http/catalogClient.ts';
import { untilDone } from '../http/untilDone.ts';
import { ItemSearch } from '../items/itemSearch.ts';
import { type ListQuery, listItems } from '../items/readItems.ts';
import { useRun } from './useRun.ts';

export interface ItemsWanted {
  /** Words of active items; with a `query`, the beginning of names. */
  readonly text: string;
  /** If given, the service lists what this filters, such as `{ include_inactive: true }`. */
  readonly query?: ListQuery | undefined;
  readonly pageSize?: number | undefined;
}

const nothing = { items: [] as readonly Item[], isMore: false, isBusy: true, failure: '' };

/**
 * The list of items that a user searches. It keeps itself current, and an answer never replaces that to a later text.
 * @returns the items so far, whether there are more, and `showMore`; `put` an item that the user has saved; `version`
 * grows with each change of somebody
 * @example const { items, isMore, showMore } = useItems(client, { text: 'oak desk' });
 */
export function useItems(client: Client, { text, query, pageSize = 50 }: ItemsWanted) {
  const search = useRef<ItemSearch | undefined>(undefined);
  const filter = JSON.stringify(query ?? null);
  const [version, change] = useReducer((before: number) => before + 1, 0);
  const [pages, setPages] = useState({ of: '', count: 1 });
  const failed = ({ message }: Error) => ({ isBusy: false, failure: message });
  const { state, run } = useRun(nothing, failed);
  const shown = pageSize * (pages.of === text + filter ? pages.count : 1);

  useEffect(() => {
    const left = new AbortController();
    search.current = new ItemSearch(client, { signal: left.signal, onChange: change });
    search.current.load().then(change, () => undefined); // until the next load, the service searches
    return () => left.abort();
  }, [client]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer
  useEffect(() => {
    run(async (show, signal) => {
      show({ isBusy: true });
      const asked: ListQuery | null = JSON.parse(filter);
      const list = async (): Promise<void> => {
        let items: Item[] = [];
        if (asked === null) items = (await search.current?.find(text, shown + 1, { signal })) ?? [];
        else
          for await (const item of listItems(
            client,
            { ...asked, ...(text && { search: text }), limit: 100 },
            { signal },
          ))
            if (items.push(item) > shown) break;
        show({ items: items.slice(0, shown), isMore: items.length > shown, isBusy: false, failure: '' });
      };
      await untilDone(list, { signal, onFailure: (error) => show(failed(error as Error)) });
    });
  }, [client, text, filter, shown, version]);

  return {
    ...state,
    version,
    showMore: () => setPages({ of: text + filter, count: shown / pageSize + 1 }),
    put(item: Item): void {
      search.current?.put(item);
      change();
    },
  };
}
