import * as z from 'zod/mini';
import { permissions } from '../access/permissions.ts';
import { isSecure } from './secureAddress.ts';

const text = z.string().check(z.minLength(1));

/** Where a claim is: its name, which may hold any character; of a nested one the names on the way to it. */
const claim = z.union([text, z.array(text).check(z.minLength(1))]);

const address = z.string().check(
  z.refine(isIssuer, {
    error: 'must be an https address without a query, such as https://login.example.com (http on this machine only)',
  }),
);

/** Every permission by our own name for it. */
const ownNames = Object.fromEntries(permissions.map((permission) => [permission, permission]));

/** The identity provider whose access tokens are accepted, and what their claims mean to us. */
export const identitySettings = z.strictObject({
  /** The claim `iss` to the letter, and where the discovery document is found. */
  issuer: address,
  /** What `aud` must hold, one of several if it is a list. For Cognito the ids of the app clients. */
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
  /** Our permission for each of the provider's names; other names are ignored. */
  permissions: z._default(z.record(text, z.enum(permissions)), ownNames),
});

export type IdentitySettings = z.infer<typeof identitySettings>;
export type ClaimName = z.infer<typeof claim>;

/** Whether a text can be an issuer (OpenID Connect Discovery 1.0, section 2). */
function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isSecure(url) && url.username === '' && url.password === '' && !/[?#]/.test(value);
}
