import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isJwk, type Jwk } from 'aws-jwt-verify/jwk';
import { fetchDocument } from './fetchDocument.ts';
import { isSecure } from './secureAddress.ts';

/** The provider's keys could not be fetched, so its tokens cannot be verified. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';

  constructor(issuer: string, cause: unknown) {
    super(`The keys of ${issuer} cannot be fetched`, { cause });
  }
}

/** A key as published by the provider, and as Node's crypto uses it. */
export interface ProviderKey {
  readonly jwk: Jwk;
  readonly publicKey: KeyObject;
}

/**
 * Fetches an issuer's signing keys from the address in its discovery document (OpenID Connect Discovery 1.0, section
 * 4).
 * @param timeout for both requests together, in milliseconds
 * @returns the keys by id
 * @throws KeysUnavailable if they cannot be fetched, or none is usable
 */
export async function fetchKeys(issuer: string, timeout: number): Promise<ReadonlyMap<string, ProviderKey>> {
  const signal = AbortSignal.timeout(timeout);
  const attempt = async () => keysOf(await fetchDocument(await keysAddress(issuer, signal), signal));
  try {
    // A single broken connection is not an outage, so try twice.
    return await attempt().catch(attempt);
  } catch (error) {
    throw new KeysUnavailable(issuer, error);
  }
}

async function keysAddress(issuer: string, signal: AbortSignal): Promise<URL> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: stated, jwks_uri: keys } = Object(await fetchDocument(new URL(address), signal));
  if (stated !== issuer) throw new Error(`The discovery document is for the issuer ${stated}`);
  const url = URL.parse(keys);
  if (url === null || !isSecure(url)) throw new Error('The discovery document has no jwks_uri with https');
  return url;
}

/** Keys that we do not understand are ignored (RFC 7517, section 5), so that a new kind of key does no harm. */
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
