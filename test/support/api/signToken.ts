import { constants, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

type Algorithm = keyof typeof pairs | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'Ed25519';

/** A key that an issuer signs with. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: Algorithm;
  readonly privateKey: KeyObject;
  /** As the issuer publishes it. */
  readonly jwk: object;
}

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

/** Creates a key. An RSA key takes a while. */
export function signingKey(alg: keyof typeof pairs = 'ES256', kid: string = randomUUID()): SigningKey {
  const { privateKey, publicKey } = pairs[alg]();
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

const encode = (text: string): string => Buffer.from(text).toString('base64url');
const encodeJson = (value: unknown): string => encode(JSON.stringify(value));

/** A token in the compact form (RFC 7515), whose header and claims may be any text. */
export function signTexts(header: string, claims: string, { alg, privateKey }: SigningKey): string {
  const input = `${encode(header)}.${encode(claims)}`;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363', ...(alg.startsWith('PS') && pss) } as const;
  const signature = sign(alg.startsWith('Ed') ? null : `sha${alg.slice(2)}`, Buffer.from(input), key);
  return `${input}.${signature.toString('base64url')}`;
}

/**
 * A token with exactly these claims.
 * @param header members of its header in addition to algorithm and key id, or instead of them
 */
export const signToken = (claims: unknown, key: SigningKey, header: object = {}): string =>
  signTexts(JSON.stringify({ alg: key.alg, kid: key.kid, ...header }), JSON.stringify(claims), key);

/** A token that is signed with a shared secret. */
export function hmacToken(claims: unknown, kid: string, secret: string): string {
  const input = `${encodeJson({ alg: 'HS256', kid })}.${encodeJson(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** A token with the algorithm `none`, with or without a signature. */
export const unsignedToken = (claims: unknown, kid: string, signature: string): string =>
  `${encodeJson({ alg: 'none', kid })}.${encodeJson(claims)}.${signature}`;
