import { useInsertionEffect, useState, useSyncExternalStore } from 'react';
import type { Machine } from '../machine.ts';

/** What a hook returns of a machine: its functions, which are always the same. */
export type Functions<Made> = Omit<Made, 'end'>;

/**
 * Renders at each change of a machine. It ends when its component is gone for good: only this kind of effect stays while
 * `<Activity>` hides a component, so what is under way then goes on.
 * @param make makes it, once for each key
 * @param key of what it is about, such as the user
 */
export function useMachine<Made extends Machine<unknown>>(make: () => Made, key?: unknown): Made {
  const [made, remake] = useState(() => ({ key, machine: make() }));
  let { machine } = made;
  if (made.key !== key) {
    machine = make();
    remake({ key, machine });
  }
  useInsertionEffect(() => machine.hold(), [machine]);
  useSyncExternalStore(machine.subscribe, machine.getState, machine.getState);
  return machine;
}
