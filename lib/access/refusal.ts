/** The requirements of a bearer token, in the order of the checks, by the reason for refusing one that fails. */
export const refusalReasons = {
  'no bearer token': 'is sent as the only bearer token',
  'unknown token': 'is a token of this service',
  'no signed JWT': 'is a signed JWT; of one that is not, the frontend has probably not requested the audience',
  'too long': 'has at most 8 KB',
  'other issuer': 'is of the issuer in the settings, to the character',
  'other type': 'is an access token',
  'other algorithm': 'is signed with a private key (RS256, PS256, ES256, EdDSA and their like)',
  'unknown extension': 'needs no extension (crit)',
  'no key id': 'names its key (kid)',
  'unknown key': 'names a key that the issuer publishes',
  'unfit key': 'names a key for signatures with its algorithm, if of RSA with at least 2,048 bits',
  'wrong signature': 'has the signature of its key',
  'other audience': 'is for an audience in the settings',
  'bound to its sender': 'may be sent by whoever has it (no cnf)',
  'not valid yet': 'is valid already (nbf)',
  'no expiry': 'has an expiry (exp)',
  expired: 'has not expired (exp)',
} as const;

export type RefusalReason = keyof typeof refusalReasons;

/** All that is logged of a refused token. What it names is not verified. */
export interface TokenRefusal {
  readonly reason: RefusalReason;
  readonly issuer?: string | undefined;
  readonly audience?: readonly string[];
  readonly keyId?: string | undefined;
  /** True for a token of the identity provider and one of its keys, unless it has expired or is not signed for that key. */
  readonly isUser?: true;
}

/** Called with the reason for which a token is refused. */
export type Refuse = (refusal: TokenRefusal) => undefined;
