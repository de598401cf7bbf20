import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isJwk, type Jwk } from 'aws-jwt-verify/jwk';
import { fetchDocument } from './fetchDocument.ts';
import { isSecure } from './secureAddress.ts';

/** The provider's keys could not be had, so no token of the provider can be judged. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';

  constructor(issuer: string, cause: unknown) {
    super(`The keys of ${issuer} cannot be fetched`, { cause });
  }
}

/** A key as the provider publishes it, and as Node verifies with it. */
export interface ProviderKey {
  readonly jwk: Jwk;
  readonly publicKey: KeyObject;
}

/**
 * Fetches the keys that an issuer signs with, as its discovery document tells (OpenID Connect Discovery 1.0, section 4).
 * @param timeout for all of it, in milliseconds
 * @returns the keys by their ids
 * @throws KeysUnavailable when they cannot be had, or there are none
 */
export async function fetchKeys(issuer: string, timeout: number): Promise<ReadonlyMap<string, ProviderKey>> {
  const signal = AbortSignal.timeout(timeout);
  const attempt = async () => keysOf(await fetchDocument(await keysAddress(issuer, signal), signal));
  try {
    // A connection that breaks once is no outage.
    return await attempt().catch(attempt);
  } catch (error) {
    throw new KeysUnavailable(issuer, error);
  }
}

async function keysAddress(issuer: string, signal: AbortSignal): Promise<URL> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: stated, jwks_uri: keys } = Object(await fetchDocument(new URL(address), signal));
  if (stated !== issuer) throw new Error(`The discovery document is that of the issuer ${stated}`);
  const url = URL.parse(keys);
  if (url === null || !isSecure(url)) throw new Error('The discovery document has no https address of keys');
  return url;
}

/** What we do not understand of a key set is left out (RFC 7517, section 5), so that a new kind of key does no harm. */
function keysOf(document: unknown): ReadonlyMap<string, ProviderKey> {
  const { keys } = Object(document);
  const usable = new Map(Array.isArray(keys) ? keys.flatMap(usableKey) : []);
  if (usable.size === 0) throw new Error('The key set has no usable key');
  return usable;
}

function usableKey(jwk: Jwk): [] | [[string, ProviderKey]] {
  if (!isJwk(jwk) || jwk.kid === undefined) return [];
  try {
    return [[jwk.kid, { jwk, publicKey: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }) }]];
  } catch {
    return [];
  }
}
