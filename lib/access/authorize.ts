import type { TimedContext } from '../catalog/requestContext.ts';
import type { Caller } from './caller.ts';
import { isWellFormedToken } from './tokenFormat.ts';

/** Looks up the callers of our own tokens. */
export interface TokenStore {
  /** @returns undefined when there is no such token */
  find(context: TimedContext, token: string): Promise<Caller | undefined>;
}

/** Verifies the access tokens of the organisation's identity provider. */
export interface IdentityProvider {
  /**
   * The user that an access token of the provider was issued to.
   * @returns undefined when the token is not valid
   * @throws CatalogError `FORBIDDEN` when it is, but names no user or account of ours; another error when it cannot be verified
   */
  verify(token: string): Promise<Caller | undefined>;
}

/**
 * Who calls, by the `Authorization` header (spec 5): a token of ours, which has a form of its own, or one of the identity
 * provider.
 * @param values the header's values, as often as it was sent
 * @param now milliseconds since 1970
 * @param identity left out, only tokens of ours are accepted
 * @returns undefined when the caller is not identified: not exactly one bearer token, a wrong checksum (without asking the
 * store), an unknown or an expired token
 * @throws CatalogError `FORBIDDEN` for a user without an account; whatever the store or the provider throws, since a token
 * that cannot be checked says nothing about the caller
 */
export async function authorize(
  tokens: TokenStore,
  context: TimedContext,
  values: readonly string[],
  now: number,
  identity?: IdentityProvider,
): Promise<Caller | undefined> {
  const [, token] = (values.length === 1 && /^Bearer +(\S+)$/i.exec(values[0] ?? '')) || [];
  if (token === undefined) return undefined;
  const caller = isWellFormedToken(token) ? await tokens.find(context, token) : await identity?.verify(token);
  return caller !== undefined && caller.expiresAt * 1000 > now ? caller : undefined;
}
