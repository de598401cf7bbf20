import { accountId } from '../access/accountId.ts';
import type { Caller } from '../access/caller.ts';
import { permissions } from '../access/permissions.ts';
import { CatalogError } from '../item/errors.ts';
import type { ClaimName, IdentitySettings } from './identitySettings.ts';

/** The claims of a verified token, of which the expiry is known to be there. */
export interface Claims {
  readonly exp: number;
  readonly [name: string]: unknown;
}

/** A user's name is stored with the items that they write: visible characters, as many as OpenID Connect gives `sub`. */
const userName = /^\P{C}{1,255}$/u;

/**
 * The caller that a token's claims name.
 * @throws CatalogError `FORBIDDEN` when they name no user, or no account that could be one of ours
 */
export function callerOf(claims: Claims, settings: Pick<IdentitySettings, 'claims' | 'permissions'>): Caller {
  const account = claimAt(claims, settings.claims.account);
  const user = claimAt(claims, settings.claims.user);
  if (!isText(account, accountId) || !isText(user, userName)) throw new CatalogError('FORBIDDEN');
  const granted = new Set(namesIn(claimAt(claims, settings.claims.permissions)).map(permissionIn(settings)));
  return { account, user, permissions: permissions.filter((one) => granted.has(one)), expiresAt: claims.exp };
}

const isText = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value);

/** The claim of a name, or at the end of a path of names. */
function claimAt(claims: Claims, name: ClaimName): unknown {
  let value: unknown = claims;
  for (const member of [name].flat()) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
}

/** A list of names, or a text of names with blanks between, as `scope` is (RFC 8693, section 4.2). */
const namesIn = (value: unknown): unknown[] =>
  typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];

const permissionIn =
  ({ permissions: ours }: Pick<IdentitySettings, 'permissions'>) =>
  (name: unknown) =>
    typeof name === 'string' && Object.hasOwn(ours, name) ? ours[name] : undefined;
