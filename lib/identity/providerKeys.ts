import type { EpochMs } from '../item/epoch.ts';
import { fetchKeys, type ProviderKey } from './fetchKeys.ts';

/** How long the keys are used, in milliseconds. Limits how long a withdrawn key is still trusted. */
const lifetime = 60 * 60 * 1000;
/** Wait after an unknown key id, in milliseconds, because anybody can make up key ids. */
const waitAfterUnknownKey = 10_000;
/** Wait after a failed fetch, in milliseconds. */
const waitAfterFailure = 1_000;

interface Options {
  readonly now: () => EpochMs;
  /** Timeout for fetching the keys, in milliseconds. */
  readonly timeout: number;
}

/**
 * A provider's signing keys. They are fetched immediately and cached, and fetched again when they are old or a token
 * names an unknown one.
 */
export class ProviderKeys {
  readonly #issuer: string;
  readonly #options: Options;
  #keys: ReadonlyMap<string, ProviderKey> = new Map();
  #fetching: Promise<void> | undefined;
  #outdatedAt = 0;
  /** Until this time, no token triggers a fetch. */
  #waitUntil = 0;
  /** The error of the last fetch; undefined if it succeeded. */
  #failure: unknown;

  constructor(issuer: string, options: Options) {
    this.#issuer = issuer;
    this.#options = options;
    this.#fetchInBackground();
  }

  /**
   * @param id the key id in a token
   * @returns undefined if the provider has no such key
   * @throws KeysUnavailable if the keys cannot be fetched
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

  /**
   * If this fails, the current keys stay in use. If there are none, the next token fetches again and reports the
   * failure.
   */
  #fetchInBackground(): void {
    this.#outdatedAt = this.#options.now() + lifetime;
    this.#fetch().catch(() => undefined);
  }

  /** Concurrent callers share one fetch. */
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
