import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import type { Change } from '../items/followChanges.ts';
import { ItemHistory } from '../items/itemHistory.ts';
import { useStore } from './useStore.ts';

const none: readonly Change[] = [];

/**
 * Who has changed an item, newest first.
 * @param version another one reads again, such as that of `useItems`
 * @example const changes = useItemChanges(client, item.id, version);
 */
export function useItemChanges(client: Client, id: number, version: number, count = 20): readonly Change[] {
  const history = useStore(() => new ItemHistory());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer
  useEffect(() => history.read(client, id, count), [history, client, id, version, count]);
  const state = history.getState();
  return state.id === id ? state.changes : none;
}
