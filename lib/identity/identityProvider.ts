import { verifyJwtSync } from 'aws-jwt-verify/jwt-verifier';
import type { IdentityProvider } from '../access/authorize.ts';
import { timeouts } from '../catalog/timeouts.ts';
import { callerOf } from './callerOf.ts';
import type { ProviderKey } from './fetchKeys.ts';
import type { IdentitySettings } from './identitySettings.ts';
import { keyIdOf } from './keyIdOf.ts';
import { ProviderKeys } from './providerKeys.ts';

/** How far the provider's clock may be ahead of ours, in seconds. An expired token is refused by our clock, at once. */
const clockTolerance = 60;

interface Options {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For fetching keys, in milliseconds. */
  readonly timeout?: number;
}

/**
 * Verifies the access tokens of an identity provider. Its keys are fetched at once and kept.
 * @param settings which provider, and what its claims mean
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

/** The claims of a token that the issuer has signed and that is in use now; undefined for any other. */
function verifiedClaims(token: string, { jwk, publicKey }: ProviderKey, issuer: string) {
  // The audience is checked below: not every provider names it in the same claim.
  const options = { issuer, audience: null, graceSeconds: clockTolerance };
  try {
    return verifyJwtSync(token, jwk, options, () => publicKey);
  } catch {
    return undefined;
  }
}

/**
 * Whether a token is an access token for us. Cognito's access tokens name the app client in `client_id` instead of an
 * audience; `token_use` distinguishes them from ID tokens, whose audience is the app client.
 */
function isMeantFor(expected: string | readonly string[], claims: Readonly<Record<string, unknown>>): boolean {
  const { aud, client_id: client, token_use: use } = claims;
  if (use !== undefined && use !== 'access') return false;
  const actual = aud === undefined && use === 'access' ? [client] : [aud].flat();
  return actual.some((name) => typeof name === 'string' && [expected].flat().includes(name));
}
