import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import type { Change } from '../items/followChanges.ts';
import { ItemHistory } from '../items/itemHistory.ts';
import { useStore } from './useStore.ts';

const none: readonly Change[] = [];

interface ItemChangesOptions {
  /** Another one reads again, such as that of `useItems`. */
  readonly version?: number | undefined;
  /** By default 20. */
  readonly count?: number | undefined;
}

/**
 * Who has changed an item, newest first.
 * @example const { changes } = useItemChanges(client, item.id, { version });
 */
export function useItemChanges(
  client: Client,
  id: number,
  { version, count }: ItemChangesOptions = {},
): { readonly changes: readonly Change[] } {
  const history = useStore(() => new ItemHistory());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer
  useEffect(() => history.read(client, id, { count }), [history, client, id, version, count]);
  const state = history.getState();
  return { changes: state.id === id ? state.changes : none };
}
