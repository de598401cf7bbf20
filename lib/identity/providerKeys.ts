import type { ProviderKey } from './fetchKeys.ts';
import { fetchKeys } from './fetchKeys.ts';

/** How long the keys are used, in milliseconds, so that a key the provider has withdrawn is not trusted for long. */
const lifetime = 60 * 60 * 1000;
/** After a key that the provider does not have, in milliseconds: anybody can invent the id of a key. */
const waitAfterUnknownKey = 10_000;
/** After the keys could not be fetched, in milliseconds. */
const waitAfterFailure = 1_000;

interface Options {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For fetching the keys, in milliseconds. */
  readonly timeout: number;
}

/** The keys that a provider signs with: fetched at once and kept, and fetched anew when they are old or one is not known. */
export class ProviderKeys {
  readonly #issuer: string;
  readonly #options: Options;
  #keys: ReadonlyMap<string, ProviderKey> = new Map();
  #fetching: Promise<void> | undefined;
  #outdatedAt = 0;
  /** Until then, the keys are not fetched for a token. */
  #waitUntil = 0;
  /** Why the keys could not be fetched the last time; undefined if they could. */
  #failure: unknown;

  constructor(issuer: string, options: Options) {
    this.#issuer = issuer;
    this.#options = options;
    this.#fetchInBackground();
  }

  /**
   * @param id of a key, as a token names it
   * @returns undefined when the provider has no such key
   * @throws KeysUnavailable when the keys cannot be fetched
   */
  async find(id: string): Promise<ProviderKey | undefined> {
    if (this.#options.now() >= this.#outdatedAt) this.#fetchInBackground();
    return this.#keys.get(id) ?? (await this.#findAnew(id));
  }

  async #findAnew(id: string): Promise<ProviderKey | undefined> {
    if (this.#options.now() < this.#waitUntil) {
      if (this.#failure !== undefined) throw this.#failure;
      return undefined;
    }
    await this.#fetch();
    const key = this.#keys.get(id);
    if (key === undefined) this.#wait(waitAfterUnknownKey);
    return key;
  }

  #wait(milliseconds: number): void {
    this.#waitUntil = this.#options.now() + milliseconds;
  }

  /** If this fails, the present keys remain in use. Without any, the next token fetches again and reports the failure. */
  #fetchInBackground(): void {
    this.#outdatedAt = this.#options.now() + lifetime;
    this.#fetch().catch(() => undefined);
  }

  /** Fetches once for all callers that wait. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#replaceKeys().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #replaceKeys(): Promise<void> {
    try {
      this.#keys = await fetchKeys(this.#issuer, this.#options.timeout);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      this.#wait(waitAfterFailure);
      throw error;
    }
  }
}
