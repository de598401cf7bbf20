import { afterAll, expect, it } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { reportRefusals } from '../../local/localIdentity.ts';
import { startIssuer } from '../support/api/testIssuer.ts';

const issuer = await startIssuer();
afterAll(() => issuer.close());
const settings = identitySettings.parse({
  issuer: issuer.url,
  audience: 'catalog',
  claims: { permissions: 'scope' },
});

it.each<[string, () => string | undefined, string[]]>([
  ['one that is accepted', () => issuer.token({ account: 'demo-1' }), []],
  ['none', () => undefined, []],
  ['one of this service', () => createToken(), []],
  [
    'one for another audience',
    () => issuer.token({ aud: 'account' }),
    [
      `Refused (other audience): a token must be one that is for an audience in the settings. Its issuer: "${issuer.url}", audience: ["account"], key: "${issuer.keys[0]?.kid}". The settings: issuer "${issuer.url}", audience "catalog".`,
    ],
  ],
  [
    'one without an account',
    () => issuer.token({ account: undefined }),
    [
      expect.stringMatching(
        /^Refused: the token is valid, but names no account .* account from "account", and .* "sub"\.$/,
      ),
    ],
  ],
  [
    'one that is no JWT',
    () => 'opaque',
    [expect.stringMatching(/^Refused \(no signed JWT\): .*Its issuer: none, audience: none, key: none\. /)],
  ],
])('of a token of the identity provider, the terminal shows why it is refused: %s', async (_case, token, shown) => {
  const lines: string[] = [];
  const given = token();
  const multiValueHeaders = given === undefined ? {} : { Authorization: [`Bearer ${given}`] };
  await reportRefusals(settings, (line) => lines.push(line))({ multiValueHeaders });
  expect(lines).toEqual(shown);
});
