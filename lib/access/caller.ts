import type { EpochMs, EpochSeconds } from '../item/epoch.ts';
import { CatalogError } from '../item/errors.ts';

/**
 * The permissions of a token (spec 5). Writing items needs `catalog:edit`; seeing `cost` needs `catalog:cost:read`;
 * changing categories, units and defaults needs `catalog:admin`; reading needs none.
 */
export const permissions = ['catalog:edit', 'catalog:cost:read', 'catalog:admin'] as const;

export type Permission = (typeof permissions)[number];

/** Who a request is made for. It comes from the verified token, and no header can change it. */
export interface Caller {
  readonly account: string;
  readonly user: string;
  /** The user's identity provider. Undefined for a token issued by this service. */
  readonly issuer?: string | undefined;
  readonly permissions: readonly Permission[];
  readonly expiresAt: EpochSeconds;
}

/** The user of operators' writes, a name that nobody else can have. */
export const operatorUser = 'operator';

/** Cyrillic letters that look like those of {@link operatorUser}. */
const lookalikes: Readonly<Record<string, string>> = { о: 'o', р: 'p', е: 'e', г: 'r', а: 'a', т: 't' };

/** Whether a user's name looks like {@link operatorUser} to a person, who sees neither blanks nor invisible characters. */
export const isOperatorName = (user: string): boolean =>
  user
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[а-я]/g, (letter) => lookalikes[letter] ?? letter) === operatorUser;

/** API Gateway passes on only flat values. JSON in one has been seen to fail once API Gateway had cached it. */
export const toAuthorizerContext = ({
  account,
  user,
  issuer,
  permissions,
  expiresAt,
}: Caller): Record<string, string> => ({
  account,
  ...(/["\\{}]/.test(user) ? { user: encodeURIComponent(user), encoded: 'true' } : { user }),
  ...(issuer !== undefined && { issuer }),
  permissions: permissions.join(' '),
  expiresAt: String(expiresAt),
});

/**
 * @param context `requestContext.authorizer` of the event
 * @throws CatalogError `UNAUTHORIZED` if there is no caller, or the token has expired since the policy was cached
 */
export function fromAuthorizerContext(context: unknown, now: EpochMs): Caller {
  const { account, issuer, encoded, ...rest } = (context ?? {}) as Readonly<Record<string, unknown>>;
  const { permissions: granted, expiresAt } = rest;
  const user = encoded === 'true' ? decodeURIComponent(String(rest['user'])) : rest['user'];
  const end = Number(expiresAt);
  const isValid = Number.isFinite(end) && end * 1000 > now;
  if (!(isName(account) && isName(user) && typeof granted === 'string' && isValid))
    throw new CatalogError('UNAUTHORIZED');
  const all = granted.split(' ');
  const known = permissions.filter((permission) => all.includes(permission));
  return { account, user, issuer: isName(issuer) ? issuer : undefined, permissions: known, expiresAt: end };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const hasPermission = (caller: Caller, permission: Permission): boolean =>
  caller.permissions.includes(permission);
