import type { TimedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import type { Caller } from './caller.ts';
import { isWellFormedToken } from './tokenFormat.ts';

/** The requirements of a bearer token, in the order of the checks, by the reason for refusing one that fails. */
export const refusalReasons = {
  'no bearer token': 'is sent as the only bearer token',
  'unknown token': 'is a token of this service',
  'no signed JWT': 'is a signed JWT; of one that is not, the frontend has probably not requested the audience',
  'too long': 'has at most 8 KB',
  'other issuer': 'is of the issuer in the settings, to the character',
  'other type': 'is an access token',
  'other algorithm': 'is signed with a private key (RS256, PS256, ES256, EdDSA and their like)',
  'unknown extension': 'needs no extension (crit)',
  'no key id': 'names its key (kid)',
  'unknown key': 'names a key that the issuer publishes',
  'unfit key': 'names a key for signatures with its algorithm, if of RSA with at least 2,048 bits',
  'wrong signature': 'has the signature of its key',
  'other audience': 'is for an audience in the settings',
  'bound to its sender': 'may be sent by whoever has it (no cnf)',
  'not valid yet': 'is valid already (nbf)',
  'no expiry': 'has an expiry (exp)',
  expired: 'has not expired (exp)',
} as const;

export type RefusalReason = keyof typeof refusalReasons;

/** All that is logged of a refused token. What it names is not verified. */
export interface TokenRefusal {
  readonly reason: RefusalReason;
  readonly issuer?: string | undefined;
  readonly audience?: readonly string[];
  readonly keyId?: string | undefined;
  /** True for a token of the identity provider and one of its keys, unless it has expired or is not signed for that key. */
  readonly isUser?: true;
}

/** Called with the reason for which a token is refused. */
export type Refuse = (refusal: TokenRefusal) => undefined;

export interface TokenStore {
  /** Finds the caller of a token issued by this service. @returns undefined if there is no such token */
  find(context: TimedContext, token: string): Promise<Caller | undefined>;
}

export interface IdentityProvider {
  /**
   * Identifies the user of an access token of the identity provider. @param refuse called with the reason if that fails
   * @returns undefined if the token is not valid @throws CatalogError `FORBIDDEN` if it names no user or no account of
   * this service; another error if it cannot be verified
   */
  verify(token: string, refuse?: Refuse): Promise<Caller | undefined>;
}

/**
 * Identifies the caller from the values of the `Authorization` header (spec 5). Tokens issued by this service are
 * recognised by their format; any other token is passed to the identity provider, if there is one.
 * @returns undefined if the caller is not identified: there is not exactly one bearer token, its checksum is wrong
 * (checked without reading the store), or it is unknown or expired. `refuse` is called with the reason
 * @throws CatalogError `FORBIDDEN` for a user without an account; also any error of the store or the provider, because
 * failing to check a token does not make it invalid
 */
export async function authorize(
  tokens: TokenStore,
  context: TimedContext,
  values: readonly string[],
  now: EpochMs,
  identity?: IdentityProvider,
  refuse: Refuse = () => undefined,
): Promise<Caller | undefined> {
  const token = bearerToken(values);
  if (token === undefined) return refuse({ reason: 'no bearer token' });
  const isOwn = isWellFormedToken(token);
  const caller = isOwn ? await tokens.find(context, token) : await identity?.verify(token, refuse);
  if (caller !== undefined) return caller.expiresAt * 1000 > now ? caller : refuse({ reason: 'expired' });
  return isOwn || identity === undefined ? refuse({ reason: 'unknown token' }) : undefined;
}

/** Whether the header has a token that is issued by this service, or could be. */
export function hasOwnToken(values: readonly string[]): boolean {
  const token = bearerToken(values);
  return token !== undefined && isWellFormedToken(token);
}

/** The token in the values of the header `Authorization`; undefined unless there is exactly one. */
export function bearerToken(values: readonly string[]): string | undefined {
  const [value = '', ...others] = values;
  return others.length === 0 ? /^Bearer +(\S+)$/i.exec(value)?.[1] : undefined;
}
