import { isObject } from '../item/json.ts';

/** The parts of a JWT, which anybody can have made up. */
export interface UnverifiedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The compact form of a signed token (RFC 7515, section 7.1): base64url without padding. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads a token without verifying it. @returns undefined if it is not a signed JWT */
export function parseToken(token: string): UnverifiedToken | undefined {
  if (!compactForm.test(token)) return undefined;
  const parts = token.split('.');
  // Its last character can have spare bits, which would give one token several texts, each with a rate of its own.
  if (!parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)) return undefined;
  const [header, claims] = parts.map(parsePart);
  return isObject(header) && isObject(claims) ? { header, claims } : undefined;
}

function parsePart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
