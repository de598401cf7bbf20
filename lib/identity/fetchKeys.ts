import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { fetchDocument, isSecure } from './fetchDocument.ts';
import type { IdentitySettings } from './identitySettings.ts';

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
 * (OpenID Connect Discovery 1.0, section 4).
 * @param timeout for both requests together, in milliseconds
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
