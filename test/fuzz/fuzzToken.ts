import type { Random } from '../support/random.ts';
import { type SigningKey, signTexts } from '../support/signToken.ts';
import type { TestIssuer } from '../support/testIssuer.ts';
import { hostileText, hostileValue, quoted } from './hostileJson.ts';

/** What somebody sends in the place of a token. */
export interface FuzzedToken {
  readonly text: string;
  /** Whether the issuer has signed what it says. */
  readonly isGenuine: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const headerNames = ['alg', 'kid', 'typ', 'cty', 'crit', 'b64', 'zip', 'jku', 'x5u', 'x5c', 'jwk', 'enc'];
const algorithms = ['none', 'None', 'HS256', 'RS256', 'RS512', 'PS256', 'ES256', 'ES512', 'EdDSA', 'A128KW', ''];
const claimNames = ['iss', 'aud', 'exp', 'nbf', 'iat', 'sub', 'scope', 'account', 'token_use', 'client_id', 'jti', 'x'];

/** JSON of an object of which some members are missing, replaced or added. */
function hostileObject(random: Random, members: Members, names: readonly string[]): string {
  if (random.chance(0.03)) return hostileValue(random);
  const texts = new Map(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
  for (let changes = random.pick([0, 0, 1, 1, 2, 5]); changes > 0; changes -= 1) {
    const name = random.chance(0.9) ? random.pick(names) : hostileText(random).slice(0, 100);
    if (random.chance(0.2)) texts.delete(name);
    else texts.set(name, hostileValue(random));
  }
  return `{${[...texts].map(([name, text]) => `${quoted(random, name)}:${text}`)}}`;
}

function header(random: Random, { alg, kid }: SigningKey): string {
  const members = { alg: random.chance(0.9) ? alg : random.pick(algorithms), kid };
  return random.chance(0.7) ? JSON.stringify(members) : hostileObject(random, members, headerNames);
}

/** A token that was changed on its way. */
function damaged(random: Random, token: string): string {
  const at = random.below(token.length + 1);
  const parts = token.split('.');
  return random.pick([
    token.slice(0, at),
    token.slice(0, at) + random.pick(['.', '=', '+', '/', '-', 'A', 'é', '\\', '%00']) + token.slice(at),
    token + random.pick(['=', '==', '.', '.AAAA', 'A']),
    parts.toReversed().join('.'),
    parts.slice(0, 2).join('.'),
    `${parts.slice(0, 2).join('.')}.`,
    `${parts[0]}.${parts[0]}.${parts[2]}`,
    token.repeat(random.pick([2, 50])),
    token.toUpperCase(),
  ]);
}

/** Whether two texts are one token: its signature can be written in several ways, as the last character has bits to spare. */
function isSame(one: string, other: string): boolean {
  const signed = (token: string) => token.slice(0, token.lastIndexOf('.'));
  const signature = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.')), 'base64url').toString('hex');
  return signed(one) === signed(other) && signature(one) === signature(other);
}

/** Something like a token of the issuer, or nothing like it. The same state of `random` gives the same, but for signatures. */
export function fuzzToken(random: Random, issuer: TestIssuer, stranger: SigningKey): FuzzedToken {
  if (random.chance(0.02)) return { text: hostileText(random), isGenuine: false };
  const [key = stranger] = issuer.keys;
  const isTheirs = random.chance(0.85);
  const claims = hostileObject(random, { ...issuer.claims() }, claimNames);
  const text = signTexts(header(random, key), claims, isTheirs ? key : stranger);
  const sent = random.chance(0.1) ? damaged(random, text) : text;
  return { text: sent, isGenuine: isTheirs && isSame(text, sent) };
}
