import { CatalogError } from '../item/errors.ts';
import type { Permission } from './permissions.ts';
import { permissions } from './permissions.ts';

/** On whose behalf a request is made: what the token store knows of a token, and no header can change. */
export interface Caller {
  readonly account: string;
  readonly user: string;
  readonly permissions: readonly Permission[];
  /** When the token ends, in seconds since 1970. */
  readonly expiresAt: number;
}

/** The caller as the authorizer hands it on: API Gateway passes numbers on as strings, and nothing but flat values. */
export const toAuthorizerContext = (caller: Caller): Record<string, string> => ({
  account: caller.account,
  user: caller.user,
  permissions: caller.permissions.join(' '),
  expiresAt: String(caller.expiresAt),
});

/**
 * The caller as a function receives it.
 * @param context `requestContext.authorizer` of the event
 * @param now milliseconds since 1970
 * @throws CatalogError `UNAUTHORIZED` when there is no caller, or its token has ended since the gateway cached its policy
 */
export function fromAuthorizerContext(context: unknown, now: number): Caller {
  const { account, user, permissions: granted, expiresAt } = (context ?? {}) as Readonly<Record<string, unknown>>;
  const end = Number(expiresAt);
  const isValid = Number.isFinite(end) && end * 1000 > now;
  if (!(isName(account) && isName(user) && typeof granted === 'string' && isValid))
    throw new CatalogError('UNAUTHORIZED');
  const all = granted.split(' ');
  return { account, user, permissions: permissions.filter((permission) => all.includes(permission)), expiresAt: end };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether the caller may do what the permission covers. */
export const hasPermission = (caller: Caller, permission: Permission): boolean =>
  caller.permissions.includes(permission);
