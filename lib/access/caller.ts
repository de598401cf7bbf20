import * as z from 'zod/mini';
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

/** API Gateway passes on strings, numbers and booleans only, the latter two as strings to the functions. */
const contextShape = z.object({
  account: z.string().check(z.minLength(1)),
  user: z.string().check(z.minLength(1)),
  permissions: z.string(),
  expiresAt: z.coerce.number(),
});

/** The caller as the authorizer hands it on, in the form that API Gateway can carry. */
export const toContext = (caller: Caller): Record<string, string> => ({
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
export function fromContext(context: unknown, now: number): Caller {
  const parsed = contextShape.safeParse(context);
  if (!parsed.success || !(parsed.data.expiresAt * 1000 > now)) throw new CatalogError('UNAUTHORIZED');
  const granted = parsed.data.permissions.split(' ');
  return { ...parsed.data, permissions: permissions.filter((permission) => granted.includes(permission)) };
}

/** Whether the caller may do what the permission covers. */
export const may = (caller: Caller, permission: Permission): boolean => caller.permissions.includes(permission);
