import { useInsertionEffect, useState, useSyncExternalStore } from 'react';
import type { Store } from '../state/store.ts';

/**
 * Renders at each change of a store, which is disposed of when its component is gone for good: only this kind of effect
 * stays while `<Activity>` hides a component, so what is under way then goes on.
 * @param make makes the store, once for each key
 * @param key of what it is about, such as the user
 */
export function useStore<Made extends Store<unknown>>(make: () => Made, key?: unknown): Made {
  const [made, remake] = useState(() => ({ key, store: make() }));
  let { store } = made;
  if (made.key !== key) {
    store = make();
    remake({ key, store });
  }
  useInsertionEffect(() => store.retain(), [store]);
  useSyncExternalStore(store.subscribe, store.getState, store.getState);
  return store;
}
