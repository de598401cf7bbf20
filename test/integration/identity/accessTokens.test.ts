import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RefusalReason, TokenRefusal } from '../../../lib/access/authorize.ts';
import { identityProvider } from '../../../lib/identity/identityProvider.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { authorizerDependencies } from '../../../lib/runtime/dependencies.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import {
  hmacToken,
  type SigningKey,
  signingKey,
  signTexts,
  signToken,
  unsignedToken,
} from '../../support/api/signToken.ts';
import { startIssuer } from '../../support/api/testIssuer.ts';

const [rsa, elliptic, edwards] = [signingKey('RS256'), signingKey('ES256'), signingKey('EdDSA')];
const [elliptic384, elliptic512] = [signingKey('ES384'), signingKey('ES512')];
const encryption = signingKey();
/** As some providers publish a key: without its algorithm. */
const [rsaUnnamed, edwardsUnnamed] = [rsa, edwards].map((key): SigningKey => {
  const kid = `${key.kid}-unnamed`;
  return { ...key, kid, jwk: { ...key.jwk, kid, alg: undefined } };
}) as [SigningKey, SigningKey];

const issuer = await startIssuer();
issuer.keys = [
  elliptic,
  rsa,
  edwards,
  elliptic384,
  elliptic512,
  rsaUnnamed,
  edwardsUnnamed,
  { ...encryption, jwk: { ...encryption.jwk, use: 'enc' } },
];
const settings = (more: object = {}) =>
  identitySettings.parse({ issuer: issuer.url, audience: 'catalog', claims: { permissions: 'scope' }, ...more });
const provider = identityProvider(settings(), { now: () => Date.now() });
await provider.verify(issuer.token());
afterAll(() => issuer.close());

const now = () => Math.floor(Date.now() / 1000);
const inSeconds = (seconds: number) => now() + seconds;

describe('an access token of the identity provider', () => {
  it.each<[string, SigningKey]>([
    ['RS256', rsa],
    ['RS384', { ...rsaUnnamed, alg: 'RS384' }],
    ['RS512', { ...rsaUnnamed, alg: 'RS512' }],
    ['ES256', elliptic],
    ['ES384', elliptic384],
    ['ES512', elliptic512],
    ['PS256', { ...rsaUnnamed, alg: 'PS256' }],
    ['PS384', { ...rsaUnnamed, alg: 'PS384' }],
    ['PS512', { ...rsaUnnamed, alg: 'PS512' }],
    ['EdDSA', edwards],
    ['Ed25519, with a key for EdDSA', { ...edwards, alg: 'Ed25519' }],
    ['RS256, with a key that declares no algorithm', rsaUnnamed],
  ])('is accepted if it is signed with %s', async (_algorithm, key) => {
    expect(await provider.verify(signToken(issuer.claims({ exp: 4e9 }), key))).toEqual({
      account: 'acme',
      user: 'ann',
      issuer: issuer.url,
      permissions: [],
      expiresAt: 4e9,
    });
  });

  it.each<[string, object, object?]>([
    ['several audiences, ours among them', { aud: ['other', 'catalog'] }],
    ['the app client of Cognito instead of an audience', { aud: undefined, client_id: 'catalog', token_use: 'access' }],
    ['the type of an access token', {}, { typ: 'at+jwt' }],
    ['the type as a media type', {}, { typ: 'application/at+JWT' }],
    ['the type of any JWT', {}, { typ: 'JWT' }],
    ['a start within the minute that clocks may differ', { nbf: now() + 50 }],
    ['an expiry with fractions of a second', { exp: now() + 100.5 }],
    ['a scope that is a list', { scope: ['openid'] }],
    ['nearly 8 KB', { filling: 'x'.repeat(5_800) }],
  ])('is accepted with %s', async (_case, claims, header) => {
    expect(await provider.verify(issuer.token(claims, header))).toMatchObject({ user: 'ann' });
  });
});

it('an access token is accepted in one spelling only, so that it has one rate', async () => {
  const token = issuer.token();
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const accepted = await Promise.all([...characters].map((last) => provider.verify(token.slice(0, -1) + last)));
  expect(accepted.filter((caller) => caller !== undefined)).toHaveLength(1);
});

it('an access token is accepted for each of several audiences in the settings', async () => {
  const several = identityProvider(settings({ audience: ['web', 'app'] }), { now: () => Date.now() });
  for (const aud of ['web', 'app']) expect(await several.verify(issuer.token({ aud }))).toMatchObject({ user: 'ann' });
});

it('access tokens of several providers are distinguished by their issuers', async () => {
  const other = await startIssuer();
  onTestFinished(() => other.close());
  const { identity } = authorizerDependencies({
    ...{ [variables.table]: 'none', [variables.corsOrigins]: '*', [variables.region]: 'eu-central-1' },
    [variables.identity]: JSON.stringify([settings(), settings({ issuer: other.url, accounts: 'other' })]),
  });
  expect(await identity?.verify(issuer.token())).toMatchObject({ account: 'acme', issuer: issuer.url });
  expect(await identity?.verify(other.token())).toMatchObject({ account: 'other', issuer: other.url });
  const reasons: RefusalReason[] = [];
  for (const iss of [issuer.url, 'https://login.example.com'])
    expect(await identity?.verify(other.token({ iss }), ({ reason }) => void reasons.push(reason))).toBeUndefined();
  expect(reasons).toEqual(['unknown key', 'other issuer']);
});

describe('rejected without a request to the provider:', () => {
  const publicKey = createPublicKey(rsa.privateKey).export({ format: 'pem', type: 'spki' }).toString();
  const stranger = signingKey();

  it.each<[string, () => string]>([
    ['a token of nearly the same issuer', () => issuer.token({ iss: `${issuer.url}/` })],
    ['a token without an issuer', () => issuer.token({ iss: undefined })],
    ['a token for audiences that hold ours as a part', () => issuer.token({ aud: ['catalog2', 'my-catalog'] })],
    ['a token with an empty list of audiences', () => issuer.token({ aud: [] })],
    ['a token with our audience as its client', () => issuer.token({ aud: undefined, client_id: 'catalog' })],
    [
      'a token for another audience with our audience as its client',
      () => issuer.token({ aud: 'invoices', client_id: 'catalog', token_use: 'access' }),
    ],
    [
      'an access token of Cognito for another client',
      () => issuer.token({ aud: undefined, client_id: 'x', token_use: 'access' }),
    ],
    [
      'a token of Cognito whose client is a list',
      () => issuer.token({ aud: undefined, client_id: ['catalog'], token_use: 'access' }),
    ],
    ['a token whose end is a text', () => issuer.token({ exp: '4000000000' })],
    ['a token whose end is no finite number', () => withoutEnd()],
    ['a token whose end is before all dates', () => issuer.token({ exp: -1e300 })],
    ['a token that begins after all dates', () => issuer.token({ nbf: 1e300 })],
    ['a token that declares that it needs no signature', () => unsignedToken(issuer.claims(), rsa.kid, '')],
    ['a token signed with the public key as a secret', () => hmacToken(issuer.claims(), rsa.kid, publicKey)],
    ['a token of a key that is for encryption', () => signToken(issuer.claims(), encryption)],
    ['a token with the algorithm of another key', () => signToken(issuer.claims(), edwards, { alg: 'RS256' })],
    [
      'a token with an algorithm that does not fit its key',
      () => signToken(issuer.claims(), edwardsUnnamed, { alg: 'RS256' }),
    ],
    ['a token of a stranger in the name of our key', () => signToken(issuer.claims(), { ...stranger, kid: rsa.kid })],
    ['a token whose key id is a number', () => issuer.token({}, { kid: 5 })],
    ['a token whose key id cannot be a text', () => issuer.token({}, { kid: { toString: 1 } })],
    ['a token whose algorithm cannot be a text', () => issuer.token({}, { alg: { toString: 1 } })],
    [
      'a token that brings its key along',
      () => signToken(issuer.claims(), stranger, { jwk: stranger.jwk, kid: rsa.kid }),
    ],
    [
      'a token that says where its key is',
      () => signToken(issuer.claims(), stranger, { jku: `${issuer.url}/own-keys`, kid: rsa.kid }),
    ],
    [
      'a token that says where its certificate is',
      () => signToken(issuer.claims(), stranger, { x5u: `${issuer.url}/own-keys`, kid: rsa.kid }),
    ],
    ['a token whose type is a number', () => issuer.token({}, { typ: 1 })],
    ['a token whose claims were changed', () => tampered(issuer.token(), issuer.token({ sub: 'bob' }))],
    ['a token whose signature is cut off', () => issuer.token().slice(0, -10)],
    ['claims that are a list', () => signToken([issuer.claims()], elliptic)],
    ['claims that are null', () => signToken(null, elliptic)],
    ['two parts', () => issuer.token().split('.').slice(0, 2).join('.')],
  ])('%s', async (_case, token) => {
    const before = issuer.requests;
    expect(await provider.verify(token())).toBeUndefined();
    expect(issuer.requests).toBe(before);
  });

  const withoutEnd = () =>
    signTexts(
      JSON.stringify({ alg: 'ES256', kid: elliptic.kid }),
      JSON.stringify(issuer.claims({ exp: 7 })).replace('"exp":7', '"exp":1e999'),
      elliptic,
    );

  /** The signature of one token under the claims of another. */
  function tampered(signed: string, other: string): string {
    return [...other.split('.').slice(0, 2), signed.split('.')[2]].join('.');
  }
});

describe('of several keys with one id', () => {
  const at = (key: SigningKey, jwk: object = {}): SigningKey => ({ ...key, jwk: { ...key.jwk, kid: 'one', ...jwk } });
  const unnamed = (key: SigningKey): SigningKey => at(key, { alg: undefined, use: undefined });

  it.each<[string, SigningKey[]]>([
    ['one key for signatures and for encryption', [at(rsa), at(rsa, { use: 'enc', alg: 'RSA-OAEP' })]],
    ['one for signatures, another for encryption', [at(rsa), at(signingKey('RS256'), { use: 'enc', alg: undefined })]],
    ['one key for three algorithms', ['RS512', 'RS256', 'RS384'].map((alg) => at(rsa, { alg }))],
    ['keys of several types', [unnamed(elliptic), unnamed(rsa), unnamed(edwards)]],
    [
      'one to sign with, another to wrap keys',
      [at(rsa, { key_ops: ['verify'] }), at(elliptic, { key_ops: ['wrapKey'] })],
    ],
    ['an old and a new one', [unnamed(signingKey('RS256')), unnamed(rsa)]],
  ])('the one that fits is used: %s', async (_case, all) => {
    const own = await startIssuer();
    onTestFinished(() => own.close());
    for (own.keys of [all, all.toReversed()]) {
      const one = identityProvider(settings({ issuer: own.url }), { now: Date.now });
      expect(await one.verify(signToken(own.claims(), { ...rsa, kid: 'one' }))).toMatchObject({ user: 'ann' });
    }
  });
});

it.each<[string, SigningKey]>([
  ['is for other operations', { ...rsa, jwk: { ...rsa.jwk, use: undefined, key_ops: ['encrypt'] } }],
  ['has operations that are no list', { ...rsa, jwk: { ...rsa.jwk, key_ops: 'verify' } }],
  ['is for another algorithm', { ...rsa, jwk: { ...rsa.jwk, alg: 'RS512' } }],
  ['has 1,024 bits', smallKey()],
  [
    'has another curve than the algorithm',
    { ...elliptic384, alg: 'ES256', jwk: { ...elliptic384.jwk, alg: undefined } },
  ],
])('a token is refused whose key %s', async (_case, key) => {
  const own = await startIssuer();
  onTestFinished(() => own.close());
  own.keys = [key];
  const one = identityProvider(settings({ issuer: own.url }), { now: Date.now });
  const refusals: TokenRefusal[] = [];
  expect(await one.verify(signToken(own.claims(), key), (refusal) => void refusals.push(refusal))).toBeUndefined();
  expect(refusals).toEqual([{ reason: 'unfit key', issuer: own.url, audience: ['catalog'], keyId: key.kid }]);
});

/** Operators may learn the reason, and nobody else anything about the token. */
describe('a refused token', () => {
  const text = (value: string) => Buffer.from(value).toString('base64url');
  const known = { issuer: issuer.url, audience: ['catalog'], keyId: elliptic.kid };
  const user = { ...known, isUser: true };

  it.each<[RefusalReason, () => string, object]>([
    ['no signed JWT', () => 'opaque', {}],
    ['no signed JWT', () => 'ya29.a0Af-with.dots', {}],
    ['no signed JWT', () => [text('{"alg":"dir","enc":"A256GCM"}'), '', 'a', 'b', 'c'].join('.'), {}],
    ['too long', () => issuer.token({ filling: 'x'.repeat(8_192) }), user],
    ['other issuer', () => issuer.token({ iss: 'http://localhost' }), { ...known, issuer: 'http://localhost' }],
    ['other type', () => issuer.token({}, { typ: 'logout+jwt' }), user],
    ['other type', () => issuer.token({ token_use: 'id' }), user],
    ['other algorithm', () => issuer.token({}, { alg: 'HS256' }), known],
    ['other algorithm', () => issuer.token({}, { alg: 'none' }), known],
    ['unknown extension', () => issuer.token({}, { crit: ['b64'] }), user],
    ['no key id', () => issuer.token({}, { kid: undefined }), { ...known, keyId: undefined }],
    ['unknown key', () => issuer.token({}, { kid: 'k'.repeat(300) }), { ...known, keyId: 'k'.repeat(200) }],
    ['unfit key', () => issuer.token({}, { alg: 'RS256' }), known],
    ['wrong signature', () => `${issuer.token().slice(0, -20)}${'A'.repeat(20)}`, user],
    ['other audience', () => issuer.token({ aud: [5, ...'abcdef'] }), { ...user, audience: ['a', 'b', 'c', 'd'] }],
    ['other audience', () => issuer.token({ aud: undefined }), { ...user, audience: [] }],
    ['bound to its sender', () => issuer.token({ cnf: {} }), user],
    ['not valid yet', () => issuer.token({ nbf: inSeconds(120) }), user],
    ['no expiry', () => issuer.token({ exp: undefined }), user],
    ['expired', () => issuer.token({ exp: inSeconds(-1) }), known],
  ])('is refused with the reason: %s', async (reason, token, named) => {
    const refusals: TokenRefusal[] = [];
    const before = issuer.requests;
    expect(await provider.verify(token(), (refusal) => void refusals.push(refusal))).toBeUndefined();
    expect(refusals).toEqual([{ reason, ...named }]);
    expect(issuer.requests).toBe(before + Number(reason === 'unknown key'));
  });
});

function smallKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return { ...rsa, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: rsa.kid, use: 'sig' } };
}
