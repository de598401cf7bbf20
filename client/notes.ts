import { idempotencyLifetime } from '../lib/item/limits.ts';
import type { CallerStorage } from './catalogClient.ts';

/** How long a key is used, in milliseconds. Ends an hour early, to leave room for retries and clock changes. */
export const keyLifetime = (idempotencyLifetime - 3_600) * 1_000;

/**
 * Notes on what is open, by name, in one slot of a storage. Other tabs with the same storage see and change them. Throws
 * what the storage throws, such as when it is full.
 */
export class Notes<Note> {
  readonly #storage: CallerStorage;
  readonly #slot: string;
  readonly #isOld: (note: Note) => boolean;

  /** @param isOld which notes nobody needs any more */
  constructor(storage: CallerStorage, slot: string, isOld = (_: Note): boolean => false) {
    this.#storage = storage;
    this.#slot = slot;
    this.#isOld = isOld;
  }

  read(name: string): Note | undefined {
    return this.all()[name];
  }

  /** @param note undefined removes it */
  write(name: string, note: Note | undefined): void {
    const all = Object.entries({ ...this.all(), [name]: note });
    const kept = all.filter(
      ([other, one]) => one !== undefined && one !== null && (other === name || !this.#isOld(one)),
    );
    if (kept.length === 0) this.#storage.removeItem(this.#slot);
    else this.#storage.setItem(this.#slot, JSON.stringify(Object.fromEntries(kept)));
  }

  /** All of them, by name. */
  all(): Readonly<Record<string, Note | undefined>> {
    const text = this.#storage.getItem(this.#slot) ?? '{}';
    try {
      return { ...JSON.parse(text) };
    } catch {
      return {}; // it was cut while it was written, or is not ours
    }
  }
}

/** @returns undefined if the storage is full, or refuses */
export function ifAllowed<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
