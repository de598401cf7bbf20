import { idempotencyLifetime } from '../../lib/item/limits.ts';
import type { CallerStorage } from '../http/catalogClient.ts';

/** How long a key is used, in milliseconds. Ends an hour early, to leave room for retries and clock changes. */
export const keyLifetime = (idempotencyLifetime - 3_600) * 1_000;

/** Entries that a storage has refused, by slot and name, for as long as the page is open. Null: one to be removed. */
const refusedBy = new WeakMap<object, Map<string, Map<string, unknown>>>();
const noStorage = {};

function refusedEntries(storage: CallerStorage | undefined, slot: string): Map<string, unknown> {
  const slots = refusedBy.get(storage ?? noStorage) ?? new Map<string, Map<string, unknown>>();
  refusedBy.set(storage ?? noStorage, slots);
  const refused = slots.get(slot) ?? new Map<string, unknown>();
  slots.set(slot, refused);
  return refused;
}

/**
 * Named entries in one slot of a storage. Other tabs with the same storage see and change them. Entries that the storage
 * refuses, because it is full, blocked or missing as on a server, are kept in memory, and stored with a later one.
 * @param isOld true for entries that nobody needs any more: they are removed with the next write
 */
export function storedEntries<Entry>(storage: CallerStorage | undefined, slot: string, isOld = (_: Entry) => false) {
  const refused = refusedEntries(storage, slot);
  const stored = (): [string, Entry | null][] => {
    try {
      return Object.entries<Entry | null>(JSON.parse(storage?.getItem(slot) ?? '{}'));
    } catch {
      return []; // it was cut while it was written, is not ours, or cannot be read
    }
  };
  const present = (entries: Iterable<readonly [string, unknown]>) =>
    Object.fromEntries([...new Map(entries)].filter(([, entry]) => entry !== null)) as Readonly<Record<string, Entry>>;
  const all = () => present([...stored(), ...refused]);
  function isStored(entries: Readonly<Record<string, Entry>>, name: string): boolean {
    const kept = Object.entries(entries).filter(([other, entry]) => other === name || !isOld(entry));
    try {
      if (kept.length === 0) storage?.removeItem(slot);
      else storage?.setItem(slot, JSON.stringify(Object.fromEntries(kept)));
      return storage !== undefined;
    } catch {
      return false;
    }
  }
  return {
    all,
    read: (name: string): Entry | undefined => all()[name],
    /** Writes an entry, or removes it if it is undefined. @returns false if the storage has refused it */
    write(name: string, entry: Entry | undefined): boolean {
      const written = [name, entry ?? null] as const;
      if (isStored(present([...stored(), ...refused, written]), name)) refused.clear();
      else if (isStored(present([...stored(), written]), name)) refused.delete(name);
      else refused.set(...written);
      return !refused.has(name);
    },
  };
}
