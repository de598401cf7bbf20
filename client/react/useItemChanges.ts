import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import { untilDone } from '../http/untilDone.ts';
import { type Change, listItemChanges } from '../items/followChanges.ts';
import { useRun } from './useRun.ts';

/**
 * Who has changed an item, newest first.
 * @param version another one reads again, such as that of `useItems`
 * @example const changes = useItemChanges(client, item.id, version);
 */
export function useItemChanges(client: Client, id: number, version: number, count = 20): readonly Change[] {
  const { state, run } = useRun({ id, changes: [] as readonly Change[] }, () => ({}));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer
  useEffect(() => {
    run(async (show, signal) => {
      const read = async (): Promise<void> => {
        const changes: Change[] = [];
        for await (const change of listItemChanges(client, id, { signal })) if (changes.push(change) === count) break;
        show({ id, changes });
      };
      await untilDone(read, { signal });
    });
  }, [client, id, version, count]);
  return state.id === id ? state.changes : [];
}
