import { accountId } from '../access/accountId.ts';
import { type Caller, isOperatorName, permissions } from '../access/caller.ts';
import { CatalogError } from '../item/errors.ts';
import { isObject } from '../item/json.ts';
import type { ClaimName, IdentitySettings } from './identitySettings.ts';
import type { UnverifiedToken } from './parseToken.ts';

/** The claims of a verified token, whose expiry is known to be present. */
export interface Claims {
  readonly exp: number;
  readonly [name: string]: unknown;
}

/** As stored with items: without control or format characters, and as long as `sub` may be in OpenID Connect. */
const userName = /^\P{C}{1,255}$/u;

/** @throws CatalogError `FORBIDDEN` if they name no user or a reserved one, or no well-formed account id */
export function callerOf(claims: Claims, settings: IdentitySettings): Caller {
  const account = accountIn(claims, settings);
  const user = readClaim(claims, settings.claims.user);
  if (!isText(account, accountId) || !isText(user, userName) || isOperatorName(user))
    throw new CatalogError('FORBIDDEN');
  const names = readNames(readClaim(claims, settings.claims.permissions));
  const granted = new Set(names.flatMap((name) => entryOf(settings.permissions, name) ?? []));
  const { issuer } = settings;
  return { account, user, issuer, permissions: permissions.filter((one) => granted.has(one)), expiresAt: claims.exp };
}

function accountIn(claims: Claims, { claims: { account: name }, accounts }: IdentitySettings): unknown {
  if (typeof accounts === 'string') return accounts;
  const value = readClaim(claims, name);
  return accounts === undefined ? value : entryOf(accounts, value);
}

const isText = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value);

/** Reads a claim by its name or path of names. No path leads through a list, whose order means nothing. */
function readClaim(claims: UnverifiedToken['claims'], name: ClaimName): unknown {
  let value: unknown = claims;
  for (const member of [name].flat()) {
    if (!isObject(value)) return undefined;
    value = entryOf(value, member);
  }
  return value;
}

/**
 * Reads a list of names, a space-separated string of names, as in `scope` (RFC 8693, section 4.2), or an object whose keys
 * are the names. It grants those for which it has `true`, or an object that says where.
 */
function readNames(value: unknown): unknown[] {
  if (typeof value === 'string') return value.split(/\s+/);
  if (isObject(value)) return Object.keys(value).filter((name) => grants(value[name]));
  return Array.isArray(value) ? value : [];
}

const grants = (value: unknown): boolean => value === true || (isObject(value) && Object.keys(value).length > 0);

/** The value of an own member; undefined for any other name. */
const entryOf = <Value>(entries: Readonly<Record<string, Value>>, name: unknown): Value | undefined =>
  typeof name === 'string' && Object.hasOwn(entries, name) ? entries[name] : undefined;
