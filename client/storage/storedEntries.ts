import { idempotencyLifetime } from '../../lib/item/limits.ts';
import type { CallerStorage, Client } from '../http/catalogClient.ts';

/** How long a key is used, in milliseconds. Ends an hour early, to leave room for retries and clock changes. */
export const keyLifetime = (idempotencyLifetime - 3_600) * 1_000;

/** Entries that a storage has refused, by slot and name, for as long as the page is open. Null: one to be removed. */
const refusedBy = new WeakMap<object, Record<string, Map<string, unknown>>>();
const noStorage = {};

/**
 * Named entries in one slot of a storage. Other tabs with the same storage see and change them. Entries that the storage
 * refuses, because it is full, blocked or missing as on a server, are kept in memory, and stored with a later one.
 * @param isOld true for entries that nobody needs any more: they are removed with the next write
 */
export function storedEntries<Entry>(storage: CallerStorage | undefined, slot: string, isOld = (_: Entry) => false) {
  const slots = refusedBy.get(storage ?? noStorage) ?? {};
  refusedBy.set(storage ?? noStorage, slots);
  const refused = slots[slot] ?? new Map<string, unknown>();
  slots[slot] = refused;
  const stored = (): object => {
    try {
      return Object(JSON.parse(storage?.getItem(slot) ?? '{}'));
    } catch {
      // It was cut while it was written, is not ours, or cannot be read.
      return {};
    }
  };
  const all = (): Readonly<Record<string, Entry>> => {
    const entries = Object.entries({ ...stored(), ...Object.fromEntries(refused) });
    return Object.fromEntries(entries.filter(([, entry]) => entry !== null)) as Record<string, Entry>;
  };
  return {
    all,
    /** A name can be one that every object has, such as `constructor`. */
    read: (name: string): Entry | undefined => new Map(Object.entries(all())).get(name),
    /** Writes an entry, or removes it if it is undefined. @returns false if the storage has refused it */
    write(name: string, entry: Entry | undefined): boolean {
      if (entry !== undefined) refused.set(name, entry);
      else if (Object.hasOwn(stored(), name)) refused.set(name, null);
      else refused.delete(name);
      const kept = Object.entries(all()).filter(([other, each]) => other === name || !isOld(each));
      const text = kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
      try {
        if (text === null) storage?.removeItem(slot);
        else storage?.setItem(slot, text);
        // Some take everything, and keep nothing.
        if ((storage?.getItem(slot) ?? null) === text) refused.clear();
      } catch {
        // It is full or blocked.
      }
      return !refused.has(name);
    },
  };
}

/** Removes all entries, as at a sign-out. */
export function removeAll<Entry>({ all, write }: ReturnType<typeof storedEntries<Entry>>): void {
  for (const name of Object.keys(all())) write(name, undefined);
}

/** The address of the service, also if the client has a path of the page. */
export function serviceOf({ service = '' }: Pick<Client, 'service'>): string {
  const { location } = globalThis as { location?: { readonly origin: string } };
  return location === undefined ? service : new URL(service, location.origin).href;
}
