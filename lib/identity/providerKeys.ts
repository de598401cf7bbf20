import { timeouts } from '../catalog/timeouts.ts';
import type { EpochMs } from '../item/epoch.ts';
import { fetchKeys, type KeySource, type KeysById, type ProviderKey } from './fetchKeys.ts';

/** How long the keys are used before they are fetched again, in milliseconds. Limits how long a withdrawn key is trusted. */
const lifetime = 60 * 60 * 1000;
/** How long they are used if they cannot be fetched again, in milliseconds. */
const lifetimeInOutage = 24 * lifetime;
/** Wait after an unknown key id, in milliseconds, because anybody can make up key ids. */
const waitAfterUnknownKey = 10_000;
/** Wait after a failed fetch, in milliseconds, while there are keys at hand. */
const waitAfterFailure = 60_000;
/** The same without any: until the next fetch, no user of the provider gets in. */
const waitWithoutKeys = 3_000;

export interface KeyOptions {
  readonly now: () => EpochMs;
  /** Timeout for fetching the keys, in milliseconds. */
  readonly timeout?: number;
}

/**
 * A provider's signing keys. They are fetched when a token needs them, and again when they are old or a token names an
 * unknown one. The token's request waits for that, because Lambda freezes the function as soon as it has answered.
 */
export class ProviderKeys {
  readonly #source: KeySource;
  readonly #options: Required<KeyOptions>;
  #keys: KeysById = new Map();
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  /** Until this time, no token triggers a fetch. */
  #waitUntil = 0;
  /** The error of the last fetch; undefined if it succeeded. */
  #failure: unknown;

  constructor(source: KeySource, { now, timeout = timeouts.identityKeys }: KeyOptions) {
    this.#source = source;
    this.#options = { now, timeout };
  }

  /**
   * @param id the key id in a token
   * @returns the keys with this id; empty if the provider has none
   * @throws KeysUnavailable if the keys cannot be fetched
   */
  async find(id: string): Promise<readonly ProviderKey[]> {
    if (this.#isOlderThan(lifetime) && this.#fetching === undefined) await this.#fetchFor(id);
    if (!this.has(id)) await this.#fetchFor(id);
    if (this.has(id)) return this.#keys.get(id) ?? [];
    if (this.#failure !== undefined) throw this.#failure;
    return [];
  }

  /** Whether there is a key with this id at hand, for which nothing is fetched. */
  has(id: string): boolean {
    return !this.#isOlderThan(lifetimeInOutage) && this.#keys.has(id);
  }

  #isOlderThan(age: number): boolean {
    return this.#options.now() - this.#fetchedAt >= age;
  }

  /**
   * Fetches the keys, unless it is too early. Concurrent callers share one fetch, except while the provider is down: then
   * only one waits for each attempt.
   */
  async #fetchFor(id: string): Promise<void> {
    const isTooEarly = this.#options.now() < this.#waitUntil;
    if (this.#fetching === undefined ? isTooEarly : this.#failure !== undefined) return;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    await this.#fetching;
    if (this.#failure === undefined && !this.#keys.has(id)) this.#wait(waitAfterUnknownKey);
  }

  /** If this fails, the keys stay in use. */
  async #fetch(): Promise<void> {
    try {
      this.#keys = await fetchKeys(this.#source, this.#options.timeout);
      this.#fetchedAt = this.#options.now();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      this.#wait(this.#isOlderThan(lifetimeInOutage) ? waitWithoutKeys : waitAfterFailure);
    }
  }

  #wait(milliseconds: number): void {
    this.#waitUntil = this.#options.now() + milliseconds;
  }
}
