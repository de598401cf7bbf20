import { afterAll, expect, it } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { tellRefusals } from '../../local/tellRefusals.ts';
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
      'Refused (other audience): a token must be one that is for an audience in the settings. For each check: npm run admin -- token explain',
    ],
  ],
  [
    'one without an account',
    () => issuer.token({ account: undefined }),
    [expect.stringMatching(/^Refused: .*token explain$/)],
  ],
])('of a token of the identity provider, the terminal is told why it is refused: %s', async (_case, token, told) => {
  const lines: string[] = [];
  const given = token();
  const multiValueHeaders = given === undefined ? {} : { Authorization: [`Bearer ${given}`] };
  await tellRefusals(settings, (line) => lines.push(line))({ multiValueHeaders });
  expect(lines).toEqual(told);
});
