import { idempotencyLifetime } from '../lib/item/limits.ts';
import type { CallerStorage } from './catalogClient.ts';

/** How long a key is used, in milliseconds. Ends an hour early, to leave room for retries and clock changes. */
export const keyLifetime = (idempotencyLifetime - 3_600) * 1_000;

/** Notes on what is open, by name, in one slot of a storage. Other tabs with the same storage see and change them. */
export class Notes<Note> {
  readonly #storage: CallerStorage;
  readonly #slot: string;

  constructor(storage: CallerStorage, slot: string) {
    this.#storage = storage;
    this.#slot = slot;
  }

  read(name: string): Note | undefined {
    return this.#all()[name];
  }

  /** @param note undefined removes it */
  write(name: string, note: Note | undefined): void {
    const all = { ...this.#all(), [name]: note };
    if (Object.values(all).every((one) => one === undefined)) this.#storage.removeItem(this.#slot);
    else this.#storage.setItem(this.#slot, JSON.stringify(all));
  }

  #all(): Readonly<Record<string, Note | undefined>> {
    return JSON.parse(this.#storage.getItem(this.#slot) ?? '{}');
  }
}
