import { verifyJwtSync } from 'aws-jwt-verify/jwt-verifier';
import type { IdentityProvider } from '../access/authorize.ts';
import { timeouts } from '../catalog/timeouts.ts';
import type { EpochMs } from '../item/epoch.ts';
import { callerOf } from './callerOf.ts';
import type { ProviderKey } from './fetchKeys.ts';
import type { IdentitySettings } from './identitySettings.ts';
import { keyIdOf } from './keyIdOf.ts';
import { ProviderKeys } from './providerKeys.ts';

/**
 * How far the provider's clock may be ahead of ours, in seconds. Expiry has no tolerance: it is checked against our own
 * clock.
 */
const clockTolerance = 60;

interface Options {
  readonly now: () => EpochMs;
  /** Timeout for fetching keys, in milliseconds. */
  readonly timeout?: number;
}

/**
 * Verifies the access tokens of an identity provider. Its keys are fetched when the first token needs them, and cached.
 * @param settings which provider to trust, and how to read its claims
 */
export function identityProvider(
  settings: IdentitySettings,
  { now, timeout = timeouts.identityKeys }: Options,
): IdentityProvider {
  const { issuer, audience } = settings;
  const keys = new ProviderKeys(issuer, { now, timeout });
  return {
    verify: async (token) => {
      const keyId = keyIdOf(token, issuer);
      const key = keyId === undefined ? undefined : await keys.find(keyId);
      const claims = key && verifiedClaims(token, key, issuer);
      if (claims?.exp === undefined || !isMeantFor(audience, claims)) return undefined;
      return callerOf({ ...claims, exp: claims.exp }, settings);
    },
  };
}

/** The claims of a token that the issuer signed and that is valid now; undefined for any other token. */
export function verifiedClaims(token: string, { jwk, publicKey }: ProviderKey, issuer: string) {
  // The audience is checked in `isMeantFor`, because providers use different claims for it.
  const options = { issuer, audience: null, graceSeconds: clockTolerance };
  try {
    return verifyJwtSync(token, jwk, options, () => publicKey);
  } catch {
    return undefined;
  }
}

/**
 * Whether a token is an access token for this API. Cognito's access tokens have the app client in `client_id` and no
 * audience; `token_use` distinguishes them from ID tokens, whose audience is the app client.
 */
function isMeantFor(expected: string | readonly string[], claims: Readonly<Record<string, unknown>>): boolean {
  const { aud, client_id: client, token_use: use } = claims;
  if (use !== undefined && use !== 'access') return false;
  const actual = aud === undefined && use === 'access' ? [client] : [aud].flat();
  return actual.some((name) => typeof name === 'string' && [expected].flat().includes(name));
}
