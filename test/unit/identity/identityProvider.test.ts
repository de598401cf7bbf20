import { createPublicKey } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ProviderKey } from '../../../lib/identity/fetchKeys.ts';
import { verifiedClaims } from '../../../lib/identity/identityProvider.ts';
import { signingKey, signToken } from '../../support/signToken.ts';

it('a token that its key signed for another issuer has no verified claims', () => {
  const signing = signingKey();
  const key = { jwk: signing.jwk, publicKey: createPublicKey(signing.privateKey) } as ProviderKey;
  const claims = { iss: 'https://login.example.com' };
  const token = signToken(claims, signing);
  expect(verifiedClaims(token, key, claims.iss)).toEqual(claims);
  expect(verifiedClaims(token, key, 'https://login.example.org')).toBeUndefined();
});
