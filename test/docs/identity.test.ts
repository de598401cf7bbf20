import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityProvider } from '../../lib/identity/identityProvider.ts';
import { type IdentitySettings, identitySettings } from '../../lib/identity/identitySettings.ts';
import { blocks, codeIn, page, tableAfter } from '../support/pages.ts';
import { startIssuer, type TestIssuer } from '../support/testIssuer.ts';

const text = page('docs/operations.md');
const section = text.slice(text.indexOf('## Identity provider'), text.indexOf('## Logs'));

/** Each provider of the page, with the settings and the claims that it shows. */
const providers = section
  .split(/^### /m)
  .slice(1)
  .map((part) => {
    const [settings = ''] = blocks(part, 'ts');
    const [claims = ''] = blocks(part, 'json');
    return {
      name: part.split('\n')[0] ?? '',
      settings: identitySettings.parse(runInNewContext(`({${settings}}).identity`)),
      claims: JSON.parse(claims) as Record<string, unknown>,
    };
  });

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** The caller of a token with claims, if the settings were for the tests' own issuer. */
const verify = (settings: IdentitySettings, claims: object) => {
  const provider = identityProvider({ ...settings, issuer: issuer.url }, { now: () => Date.now() });
  const nothingElse = { aud: undefined, sub: undefined, account: undefined, exp: undefined };
  return provider.verify(issuer.token({ ...nothingElse, ...claims, iss: issuer.url, exp: 4e9 }));
};

describe("the operations page's identity providers", () => {
  it('are four', () => {
    expect(providers.map(({ name }) => name)).toEqual(['Cognito', 'Auth0', 'Entra ID', 'Keycloak']);
  });

  it.each(providers)('$name: the settings accept the token', async ({ settings, claims }) => {
    expect(claims['iss']).toBe(settings.issuer);
    expect(await verify(settings, claims)).toMatchObject({ account: 'acme', permissions: ['catalog:edit'] });
  });

  it.each(providers)('$name: without its audience, the token is rejected', async ({ settings, claims }) => {
    expect(await verify({ ...settings, audience: 'another' }, claims)).toBeUndefined();
  });

  it('use the settings and defaults in the table', () => {
    const { claims, ...others } = identitySettings.parse({ issuer: 'https://a.example', audience: 'a' });
    const names = Object.keys(claims).map((name) => `claims.${name}`);
    const rows = tableAfter(section, 'This takes one setting').map(([name, , initial]) => [codeIn(name)[0], initial]);
    expect(rows.map(([name]) => name)).toEqual(['issuer', 'audience', ...names, 'permissions']);
    expect(new Set(Object.keys(others))).toEqual(new Set(['issuer', 'audience', 'permissions']));
    const shown = rows.filter(([name]) => name?.startsWith('claims.')).map(([, initial]) => codeIn(initial)[0]);
    expect(shown).toEqual(Object.values(claims));
  });
});
