import { JWSSignatureVerificationFailed } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { accountId } from '../access/accountId.ts';
import type { IdentityProvider, RefusalReason } from '../access/authorize.ts';
import { type Caller, isOperatorName, permissions } from '../access/caller.ts';
import { CatalogError } from '../item/errors.ts';
import { isObject } from '../item/json.ts';
import type { ClaimName, IdentitySettings } from './identitySettings.ts';
import { type KeyOptions, type ProviderKey, ProviderKeys } from './providerKeys.ts';

/** The parts of a JWT, which anybody can have made up. */
interface UnverifiedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The compact form of a signed token (RFC 7515, section 7.1): base64url without padding. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads a token without verifying it. @returns undefined if it is not a signed JWT */
function parseToken(token: string): UnverifiedToken | undefined {
  if (!compactForm.test(token)) return undefined;
  const parts = token.split('.');
  // Its last character can have spare bits, which would give one token several texts, each with a rate of its own.
  if (!parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)) return undefined;
  const [header, claims] = parts.map(parsePart);
  return isObject(header) && isObject(claims) ? { header, claims } : undefined;
}

function parsePart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The claims of a verified token, whose expiry is known to be present. */
export interface Claims {
  readonly exp: number;
  readonly [name: string]: unknown;
}

/** As stored with items: without control or format characters, and as long as `sub` may be in OpenID Connect. */
const userName = /^\P{C}{1,255}$/u;

/** @throws CatalogError `FORBIDDEN` if they name no user or a reserved one, or no well-formed account id */
export function callerOf(claims: Claims, settings: IdentitySettings): Caller {
  const account = accountIn(claims, settings);
  const user = readClaim(claims, settings.claims.user);
  if (!isText(account, accountId) || !isText(user, userName) || isOperatorName(user))
    throw new CatalogError('FORBIDDEN');
  const names = readNames(readClaim(claims, settings.claims.permissions));
  const granted = new Set(names.flatMap((name) => entryOf(settings.permissions, name) ?? []));
  const { issuer } = settings;
  return { account, user, issuer, permissions: permissions.filter((one) => granted.has(one)), expiresAt: claims.exp };
}

function accountIn(claims: Claims, { claims: { account: name }, accounts }: IdentitySettings): unknown {
  if (typeof accounts === 'string') return accounts;
  const value = readClaim(claims, name);
  return accounts === undefined ? value : entryOf(accounts, value);
}

const isText = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value);

/** Reads a claim by its name or path of names. No path leads through a list, whose order means nothing. */
function readClaim(claims: UnverifiedToken['claims'], name: ClaimName): unknown {
  let value: unknown = claims;
  for (const member of [name].flat()) {
    if (!isObject(value)) return undefined;
    value = entryOf(value, member);
  }
  return value;
}

/**
 * Reads a list of names, a space-separated string of names, as in `scope` (RFC 8693, section 4.2), or an object whose keys
 * are the names. It grants those for which it has `true`, or an object that says where.
 */
function readNames(value: unknown): unknown[] {
  if (typeof value === 'string') return value.split(/\s+/);
  if (isObject(value)) return Object.keys(value).filter((name) => grants(value[name]));
  return Array.isArray(value) ? value : [];
}

const grants = (value: unknown): boolean => value === true || (isObject(value) && Object.keys(value).length > 0);

/** The value of an own member; undefined for any other name. */
const entryOf = <Value>(entries: Readonly<Record<string, Value>>, name: unknown): Value | undefined =>
  typeof name === 'string' && Object.hasOwn(entries, name) ? entries[name] : undefined;

/** Maximum length of a token, in characters. API Gateway accepts 10,240 bytes of headers in total. */
const lengthLimit = 8 * 1024;

/** How far the provider's clock may be ahead of ours, in seconds. Expiry, by our own clock, has no tolerance. */
const clockTolerance = 60;

/** The types of a generic JWT and of an access token (RFC 9068, section 2.1). Other kinds declare their own type. */
const types = ['jwt', 'at+jwt', 'application/at+jwt'];

/** Those with a public key (RFC 7518, section 3.1; RFC 8037; RFC 9864). */
const algorithm = /^([RPE]S(256|384|512)|EdDSA|Ed25519)$/;

/**
 * Reasons that do not count as a refused user, although the token names one of the keys: every token expires, and the
 * provider signs none with an algorithm that the key is not for. A wrong signature counts: a key may have changed.
 */
const ofNoUser: readonly RefusalReason[] = ['expired', 'other algorithm', 'unfit key'];

/** Verifies access tokens of a provider, whose keys are fetched when the first token needs them, and cached. */
export function identityProvider(settings: IdentitySettings, options: KeyOptions): IdentityProvider {
  const { issuer } = settings;
  const keys = new ProviderKeys(settings, options);
  return {
    verify: async (token, refuse = () => undefined) => {
      const parsed = parseToken(token);
      if (parsed === undefined) return refuse({ reason: 'no signed JWT' });
      const { header, claims } = parsed;
      const [alg, keyId] = [textOf(header['alg']), textOf(header['kid'])];
      const reason =
        problemBefore(token, parsed, issuer) ??
        (await signatureProblem(token, alg, await keys.find(keyId))) ??
        claimsProblem(claims, settings);
      if (reason === undefined) return callerOf(claims as Claims, settings);
      const isUser = claims['iss'] === issuer && keys.has(keyId) && !ofNoUser.includes(reason);
      return refuse({ reason, ...namedIn(parsed), ...(isUser && { isUser }) });
    },
  };
}

/**
 * Verifies the access tokens of one provider, or of several, each of which is given those of its issuer. A token of any
 * other issuer is refused by the first.
 */
export function openProviders(
  settings: IdentitySettings | readonly IdentitySettings[],
  options: KeyOptions,
): IdentityProvider {
  const all = [settings].flat().map((one) => ({ issuer: one.issuer, ...identityProvider(one, options) }));
  return {
    verify: async (token, refuse) => {
      const named = parseToken(token)?.claims['iss'];
      const provider = all.find(({ issuer }) => issuer === named) ?? all[0];
      return provider?.verify(token, refuse);
    },
  };
}

/** What can be checked without the key, so that tokens which cannot be valid cost no request to the provider. */
function problemBefore(token: string, { header, claims }: UnverifiedToken, issuer: string): RefusalReason | undefined {
  const { alg, crit, kid, typ = 'JWT' } = header;
  const { iss, token_use: use = 'access' } = claims;
  if (token.length > lengthLimit) return 'too long';
  if (iss !== issuer) return 'other issuer';
  // `token_use` distinguishes Cognito's access tokens from its ID tokens, whose audience is the app client.
  if (typeof typ !== 'string' || !types.includes(typ.toLowerCase()) || use !== 'access') return 'other type';
  if (!algorithm.test(textOf(alg))) return 'other algorithm';
  // It lists extensions that must be understood (RFC 7515, section 4.1.11). We support none.
  if (crit !== undefined) return 'unknown extension';
  return typeof kid === 'string' ? undefined : 'no key id';
}

/** Not `String`, which throws for an object with a member `toString`. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** @param found the keys with the token's key id */
async function signatureProblem(
  token: string,
  alg: string,
  found: readonly ProviderKey[],
): Promise<RefusalReason | undefined> {
  let problem: RefusalReason = found.length === 0 ? 'unknown key' : 'unfit key';
  for (const { publicKey } of found.filter(isFor(alg)))
    try {
      await compactVerify(token, publicKey, { algorithms: [alg] });
      return undefined;
    } catch (error) {
      // Otherwise the type, curve or size of the key does not fit the algorithm.
      if (error instanceof JWSSignatureVerificationFailed) problem = 'wrong signature';
    }
  return problem;
}

/** Whether a key is published for signatures with an algorithm (RFC 7517, sections 4.2 to 4.4). */
const isFor =
  (wanted: string) =>
  ({ jwk: { alg = wanted, use = 'sig', key_ops: operations = ['verify'] } }: ProviderKey): boolean =>
    generic(alg) === generic(wanted) && use === 'sig' && Array.isArray(operations) && operations.includes('verify');

const generic = (alg: unknown): unknown => (alg === 'Ed25519' ? 'EdDSA' : alg);

function claimsProblem(claims: UnverifiedToken['claims'], { audience }: IdentitySettings): RefusalReason | undefined {
  const { cnf, exp, nbf = 0 } = claims;
  const now = Date.now() / 1000;
  if (!audiencesOf(claims).some((name) => [audience].flat().includes(name as string))) return 'other audience';
  // The sender would have to prove to have a key (RFC 7800), which we do not check.
  if (cnf !== undefined) return 'bound to its sender';
  if (typeof nbf !== 'number' || nbf - clockTolerance > now) return 'not valid yet';
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return 'no expiry';
  return exp > now ? undefined : 'expired';
}

/** Cognito's access tokens have the app client in `client_id` and no audience. */
const audiencesOf = ({ aud, client_id: client, token_use: use }: UnverifiedToken['claims']): unknown[] =>
  aud === undefined && use === 'access' ? [client] : [aud].flat();

/** What a refused token names, shortened. */
function namedIn({ header, claims }: UnverifiedToken) {
  const short = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : undefined);
  const audience = audiencesOf(claims).slice(0, 5);
  return {
    issuer: short(claims['iss']),
    audience: audience.flatMap((name) => short(name) ?? []),
    keyId: short(header['kid']),
  };
}
