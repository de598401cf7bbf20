import * as z from 'zod/mini';
import { accountId, accountIdRule } from '../access/accountId.ts';
import { permissions } from '../access/caller.ts';
import { isSecure } from './fetchDocument.ts';

const text = z.string().check(z.minLength(1));

const oneOrSeveral = <Schema extends z.ZodMiniType>(one: Schema, error?: string) =>
  z.union([one, z.array(one).check(z.minLength(1))], error);

/** Where to find a claim: its name, which may contain any character, or the path of names to a nested claim. */
const claim = oneOrSeveral(text);

const claims = z.strictObject({
  account: z._default(claim, 'account'),
  user: z._default(claim, 'sub'),
  permissions: oneOrSeveral(
    text,
    'must be given, because with most providers a scope is what the client has asked for, not what its user may do: ' +
      "name the claim with the user's roles, or with the user's groups, or 'scope' if the provider grants it by user",
  ),
});

const account = z.string().check(z.regex(accountId, accountIdRule));

const ownNames = Object.fromEntries(permissions.map((permission) => [permission, permission]));

/** An identity provider whose access tokens are accepted, and how to read their claims. */
export const identitySettings = z
  .strictObject({
    /** The exact value of the claim `iss`, and the base address of the discovery document. */
    issuer: text,
    /** The address of the keys, for a provider without a discovery document below its issuer. */
    jwksUri: z.optional(text.check(z.refine(isAddress, 'must be an https address (http on this machine only)'))),
    /** The accepted audience, or a list of them. For Cognito, these are app client ids. */
    audience: oneOrSeveral(text),
    /** Which claims name the account, the user and the permissions. */
    claims: z.prefault(claims, {} as z.input<typeof claims>),
    /** Maps the values of the account's claim to accounts, or is everybody's account. If omitted, they are accounts. */
    accounts: z.optional(z.union([z.record(text, account), account])),
    /** Maps each of the provider's names to one of our permissions, or to several. Other names are ignored. */
    permissions: z._default(z.record(text, oneOrSeveral(z.enum(permissions))), ownNames),
  })
  .check(
    z.refine(({ issuer, jwksUri }) => jwksUri !== undefined || (isAddress(issuer) && !/[?#]/.test(issuer)), {
      path: ['issuer'],
      // OpenID Connect Discovery 1.0, section 2.
      error:
        'must be an https address without a query, such as https://login.example.com (http on this machine only), ' +
        'unless jwksUri is given',
    }),
  );

const haveOwnIssuers = (all: readonly IdentitySettings[]) =>
  new Set(all.map(({ issuer }) => issuer)).size === all.length;

/** One provider, or several with different issuers. */
export const identityProviders = z.union([
  identitySettings,
  z.array(identitySettings).check(z.minLength(1), z.refine(haveOwnIssuers, 'must not have two with the same issuer')),
]);

export type IdentitySettings = z.infer<typeof identitySettings>;
export type ClaimName = z.infer<typeof claim>;

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isSecure(url) && url.username === '' && url.password === '';
}
