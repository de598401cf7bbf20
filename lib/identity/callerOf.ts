import { accountId } from '../access/accountId.ts';
import type { Caller } from '../access/caller.ts';
import { permissions } from '../access/permissions.ts';
import { CatalogError } from '../item/errors.ts';
import type { ClaimName, IdentitySettings } from './identitySettings.ts';
import type { UnverifiedToken } from './parseToken.ts';

/** The claims of a verified token, whose expiry is known to be present. */
export interface Claims {
  readonly exp: number;
  readonly [name: string]: unknown;
}

/**
 * User names are stored with the items that they write: no control or format characters, and at most 255 characters, as
 * for `sub` in OpenID Connect.
 */
const userName = /^\P{C}{1,255}$/u;

/**
 * Converts a token's claims to a caller.
 * @throws CatalogError `FORBIDDEN` if they name no user, or no well-formed account id
 */
export function callerOf(claims: Claims, settings: Pick<IdentitySettings, 'claims' | 'permissions'>): Caller {
  const account = readClaim(claims, settings.claims.account);
  const user = readClaim(claims, settings.claims.user);
  if (!isText(account, accountId) || !isText(user, userName)) throw new CatalogError('FORBIDDEN');
  const granted = new Set(readNames(readClaim(claims, settings.claims.permissions)).map(permissionIn(settings)));
  return { account, user, permissions: permissions.filter((one) => granted.has(one)), expiresAt: claims.exp };
}

const isText = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value);

/** Reads a claim by its name, or a nested claim by its path of names. */
export function readClaim(claims: UnverifiedToken['claims'], name: ClaimName): unknown {
  let value: unknown = claims;
  for (const member of [name].flat()) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
}

/** Reads a list of names, or a space-separated string of names, as in `scope` (RFC 8693, section 4.2). */
const readNames = (value: unknown): unknown[] =>
  typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];

const permissionIn =
  ({ permissions: ours }: Pick<IdentitySettings, 'permissions'>) =>
  (name: unknown) =>
    typeof name === 'string' && Object.hasOwn(ours, name) ? ours[name] : undefined;
