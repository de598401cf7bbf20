import { idempotencyLifetime } from '../lib/item/limits.ts';
import type { CallerStorage } from './http/catalogClient.ts';

/** How long a key is used, in milliseconds. Ends an hour early, to leave room for retries and clock changes. */
export const keyLifetime = (idempotencyLifetime - 3_600) * 1_000;

/** What storages have refused, by slot, for as long as the page is open. */
const memories = new WeakMap<object, Map<string, string>>();
const nowhere = {};

/**
 * Notes on what is open, by name, in one slot of a storage. Other tabs with the same storage see and change them. What the
 * storage refuses, because it is full, blocked or missing as on a server, is kept in memory.
 * @param isOld which notes nobody needs any more
 */
export function notesIn<Note>(storage: CallerStorage | undefined, slot: string, isOld = (_: Note): boolean => false) {
  const memory = memories.get(storage ?? nowhere) ?? new Map<string, string>();
  memories.set(storage ?? nowhere, memory);
  const all = (): Readonly<Record<string, Note>> => {
    try {
      const notes = Object.entries<Note | null>(JSON.parse(memory.get(slot) ?? storage?.getItem(slot) ?? '{}'));
      return Object.fromEntries(notes.flatMap(([name, note]) => (note === null ? [] : [[name, note]])));
    } catch {
      return {}; // it was cut while it was written, is not ours, or is not to be read
    }
  };
  return {
    all,
    read: (name: string): Note | undefined => all()[name],
    /** Writes or removes a note. @returns whether the storage has done it, and not only the memory */
    write(name: string, note: Note | undefined): boolean {
      const named = Object.entries<Note | undefined>({ ...all(), [name]: note });
      const kept = named.filter(([other, each]) => each !== undefined && (other === name || !isOld(each)));
      const text = kept.length === 0 ? undefined : JSON.stringify(Object.fromEntries(kept));
      const isKept = storage !== undefined && isStored(storage, slot, text);
      if (isKept) memory.delete(slot);
      else memory.set(slot, text ?? '{}');
      return isKept;
    },
  };
}

function isStored(storage: CallerStorage, slot: string, text: string | undefined): boolean {
  try {
    if (text === undefined) storage.removeItem(slot);
    else storage.setItem(slot, text);
    return true;
  } catch {
    return false;
  }
}
