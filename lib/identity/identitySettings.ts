import * as z from 'zod/mini';
import { permissions } from '../access/permissions.ts';
import { isSecure } from './secureAddress.ts';

const text = z.string().check(z.minLength(1));

/** Where to find a claim: its name, which may contain any character, or the path of names to a nested claim. */
const claim = z.union([text, z.array(text).check(z.minLength(1))]);

const address = z.string().check(
  z.refine(isIssuer, {
    error: 'must be an https address without a query, such as https://login.example.com (http on this machine only)',
  }),
);

/** Maps every permission to itself. */
const ownNames = Object.fromEntries(permissions.map((permission) => [permission, permission]));

/** The identity provider whose access tokens are accepted, and how to read their claims. */
export const identitySettings = z.strictObject({
  /** The exact value of the claim `iss`, and the base address of the discovery document. */
  issuer: address,
  /** The accepted audience, or a list of them. For Cognito, these are app client ids. */
  audience: z.union([text, z.array(text).check(z.minLength(1))]),
  /** Which claims name the account, the user and the permissions. */
  claims: z.prefault(
    z.strictObject({
      account: z._default(claim, 'account'),
      user: z._default(claim, 'sub'),
      permissions: z._default(claim, 'scope'),
    }),
    {},
  ),
  /** Maps the provider's names to our permissions. Other names are ignored. */
  permissions: z._default(z.record(text, z.enum(permissions)), ownNames),
});

export type IdentitySettings = z.infer<typeof identitySettings>;
export type ClaimName = z.infer<typeof claim>;

/** Whether a text can be an issuer (OpenID Connect Discovery 1.0, section 2). */
function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isSecure(url) && url.username === '' && url.password === '' && !/[?#]/.test(value);
}
