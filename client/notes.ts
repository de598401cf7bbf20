import { idempotencyLifetime } from '../lib/item/limits.ts';
import type { CallerStorage } from './http/catalogClient.ts';

/** How long a key is used, in milliseconds. Ends an hour early, to leave room for retries and clock changes. */
export const keyLifetime = (idempotencyLifetime - 3_600) * 1_000;

/**
 * Notes on what is open, by name, in one slot of a storage. Other tabs with the same storage see and change them. What the
 * storage refuses, such as when it is full, is not kept.
 * @param isOld which notes nobody needs any more
 */
export function notesIn<Note>(storage: CallerStorage, slot: string, isOld = (_: Note): boolean => false) {
  const all = (): Readonly<Record<string, Note>> => {
    try {
      const notes = Object.entries<Note | null>(JSON.parse(storage.getItem(slot) ?? '{}'));
      return Object.fromEntries(notes.flatMap(([name, note]) => (note === null ? [] : [[name, note]])));
    } catch {
      return {}; // it was cut while it was written, or is not ours
    }
  };
  return {
    all,
    read: (name: string): Note | undefined => all()[name],
    /** Writes or removes a note. @returns whether the storage has done it */
    write(name: string, note: Note | undefined): boolean {
      const named = Object.entries<Note | undefined>({ ...all(), [name]: note });
      const kept = named.filter(([other, one]) => one !== undefined && (other === name || !isOld(one)));
      try {
        if (kept.length === 0) storage.removeItem(slot);
        else storage.setItem(slot, JSON.stringify(Object.fromEntries(kept)));
        return true;
      } catch {
        return false;
      }
    },
  };
}
