import type { TimedContext } from '../catalog/requestContext.ts';
import type { Caller } from './caller.ts';
import { isWellFormedToken } from './tokenFormat.ts';

/** Where the caller behind a token is known. */
export interface TokenStore {
  /** @returns undefined when there is no such token */
  find(work: TimedContext, token: string): Promise<Caller | undefined>;
}

/**
 * Who calls, by the `Authorization` header (spec 5).
 * @param values the header's values, as often as it was sent
 * @param now milliseconds since 1970
 * @returns undefined when nobody is identified: no single bearer token, a wrong checksum (then the store is not asked), an unknown or an expired one
 * @throws whatever the store throws: that a token cannot be checked says nothing of the caller
 */
export async function authorize(
  tokens: TokenStore,
  work: TimedContext,
  values: readonly string[],
  now: number,
): Promise<Caller | undefined> {
  const [, token] = (values.length === 1 && /^Bearer +(\S+)$/i.exec(values[0] ?? '')) || [];
  if (token === undefined || !isWellFormedToken(token)) return undefined;
  const caller = await tokens.find(work, token);
  return caller !== undefined && caller.expiresAt * 1000 > now ? caller : undefined;
}
