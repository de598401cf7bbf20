import * as fc from 'fast-check';
import { type SigningKey, signTexts } from '../support/api/signToken.ts';
import type { TestIssuer } from '../support/api/testIssuer.ts';
import { hostileText, hostileValue, quoted, rarely, scrambled } from './hostileJson.ts';

/** What somebody sends in the place of a token. */
export interface FuzzedToken {
  readonly text: string;
  /** Whether the issuer has signed what it says. */
  readonly isGenuine: boolean;
}

const headerNames = ['alg', 'kid', 'typ', 'cty', 'crit', 'b64', 'zip', 'jku', 'x5u', 'x5c', 'jwk', 'enc'];
const algorithms = ['none', 'None', 'HS256', 'RS256', 'RS512', 'PS256', 'ES256', 'ES512', 'EdDSA', 'A128KW', ''];
const claimNames = ['iss', 'aud', 'exp', 'nbf', 'iat', 'sub', 'scope', 'account', 'token_use', 'client_id', 'jti', 'x'];

/** JSON of an object of which some members are missing, replaced or added. */
function hostileObject(members: object, names: readonly string[]): fc.Arbitrary<string> {
  const own = Object.entries(members).map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)]);
  const kept = rarely(200, fc.subarray(own), fc.constant(own));
  const name = rarely(
    100,
    hostileText.map((text) => text.slice(0, 100)),
    fc.constantFrom(...names),
  );
  const changes = fc.oneof(fc.constant([]), fc.array(fc.tuple(quoted(name), hostileValue), { maxLength: 4 }));
  const object = fc.tuple(kept, changes).map((parts) => `{${parts.flat().map((member) => member.join(':'))}}`);
  return rarely(30, hostileValue, object);
}

const header = ({ alg, kid }: SigningKey): fc.Arbitrary<string> =>
  rarely(100, fc.constantFrom(...algorithms), fc.constant(alg)).chain((named) =>
    rarely(300, hostileObject({ alg: named, kid }, headerNames), fc.constant(JSON.stringify({ alg: named, kid }))),
  );

/** A token that was changed on its way. */
function damaged(token: string): fc.Arbitrary<string> {
  const [first, second, third] = token.split('.');
  return fc.oneof(
    { arbitrary: scrambled(token, ['.', '=', '==', '+', '/', '-', 'A', 'é', '\\', '%00', '.AAAA']), weight: 3 },
    {
      arbitrary: fc.constantFrom(
        ...[`${third}.${second}.${first}`, `${first}.${second}`, `${first}.${second}.`, `${first}.${first}.${third}`],
        ...[token.repeat(2), token.repeat(50), token.toUpperCase()],
      ),
      weight: 1,
    },
  );
}

/** Whether two texts are one token: its signature can be written in several ways, as the last character has bits to spare. */
function isSame(one: string, other: string): boolean {
  const signed = (token: string) => token.slice(0, token.lastIndexOf('.'));
  const signature = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.')), 'base64url').toString('hex');
  return signed(one) === signed(other) && signature(one) === signature(other);
}

/** Something like a token of the issuer, or nothing like it. */
export function fuzzToken(issuer: TestIssuer, stranger: SigningKey): fc.Arbitrary<FuzzedToken> {
  const [key = stranger] = issuer.keys;
  const claims = hostileObject(issuer.claims(), claimNames);
  const token = fc
    .tuple(header(key), claims, rarely(150, fc.constant(stranger), fc.constant(key)))
    .map(([head, body, signer]) => ({ text: signTexts(head, body, signer), isTheirs: signer === key }))
    .chain(({ text, isTheirs }) =>
      rarely(100, damaged(text), fc.constant(text)).map((sent) => ({
        text: sent,
        isGenuine: isTheirs && isSame(text, sent),
      })),
    );
  return rarely(
    20,
    hostileText.map((text) => ({ text, isGenuine: false })),
    token,
  );
}
