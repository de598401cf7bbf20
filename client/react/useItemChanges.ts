import { useEffect, useState } from 'react';
import type { Client } from '../catalogClient.ts';
import { type Change, listItemChanges } from '../followChanges.ts';
import { untilDone } from '../untilDone.ts';

/**
 * Who has changed an item, newest first.
 * @param version another one reads again, such as that of `useItems`
 * @example const changes = useItemChanges(client, item.id, version);
 */
export function useItemChanges(client: Client, id: number, version: number, count = 20): readonly Change[] {
  const [read, setRead] = useState({ id, changes: [] as readonly Change[] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const list = async (): Promise<void> => {
      const changes: Change[] = [];
      for await (const change of listItemChanges(client, id, { signal })) if (changes.push(change) === count) break;
      if (!signal.aborted) setRead({ id, changes });
    };
    untilDone(list, { signal }).catch(() => undefined); // who may not read it sees none
    return () => left.abort();
  }, [client, id, version, count]);
  return read.id === id ? read.changes : [];
}
