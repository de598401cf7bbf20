import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { timeouts } from '../catalog/timeouts.ts';
import type { EpochMs } from '../item/epoch.ts';
import { fetchDocument, isSecure } from './fetchDocument.ts';
import type { IdentitySettings } from './identitySettings.ts';

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

  /** @returns the keys with this id; empty if the provider has none @throws KeysUnavailable */
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

  /** Unless it is too early. Callers share one fetch, but while the provider is down, only one waits for an attempt. */
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

/** The provider's keys could not be fetched, so its tokens cannot be verified. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';

  constructor(issuer: string, cause: unknown) {
    super(`The keys of ${issuer} cannot be fetched`, { cause });
  }
}

/** What a published key says of itself (RFC 7517, section 4). */
interface Jwk extends JsonWebKey {
  readonly kid: string;
  readonly alg?: unknown;
  readonly use?: unknown;
  readonly key_ops?: unknown;
}

export type KeySource = Pick<IdentitySettings, 'issuer' | 'jwksUri'>;

export interface ProviderKey {
  readonly jwk: Jwk;
  readonly publicKey: KeyObject;
}

export type KeysById = ReadonlyMap<string, readonly ProviderKey[]>;

/**
 * Fetches a provider's signing keys from their address, which is in the settings or else in the discovery document
 * (OpenID Connect Discovery 1.0, section 4). @param timeout for both requests together, in milliseconds
 * @returns the keys by id, which several can share (section 4.5)
 * @throws KeysUnavailable if they cannot be fetched, or none is usable
 */
export async function fetchKeys(source: KeySource, timeout: number): Promise<KeysById> {
  const signal = AbortSignal.timeout(timeout);
  const attempt = async () => keysOf(await fetchDocument(await keysAddress(source, signal), signal));
  try {
    // A single broken connection is not an outage, so try twice.
    return await attempt().catch(attempt);
  } catch (error) {
    throw new KeysUnavailable(source.issuer, error);
  }
}

async function keysAddress({ issuer, jwksUri }: KeySource, signal: AbortSignal): Promise<URL> {
  if (jwksUri !== undefined) return new URL(jwksUri);
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: stated, jwks_uri: keys } = Object(await fetchDocument(new URL(address), signal));
  if (stated !== issuer) throw new Error(`The discovery document is for the issuer ${stated}`);
  const url = URL.parse(keys);
  if (url === null || !isSecure(url)) throw new Error('The discovery document has no jwks_uri with https');
  return url;
}

/** Keys that we do not understand are ignored (RFC 7517, section 5), so that a new kind of key does no harm. */
function keysOf(document: unknown): KeysById {
  const { keys } = Object(document);
  const usable = Array.isArray(keys) ? keys.flatMap(usableKey) : [];
  if (usable.length === 0) throw new Error('The key set has no usable key');
  return Map.groupBy(usable, ({ jwk }) => jwk.kid);
}

function usableKey(jwk: unknown): [] | [ProviderKey] {
  if (!isJwk(jwk)) return [];
  try {
    return [{ jwk, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) }];
  } catch {
    return [];
  }
}

const isJwk = (value: unknown): value is Jwk => typeof Object(value).kid === 'string';
