import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { identityProvider } from '../../lib/identity/identityProvider.ts';
import { type IdentitySettings, identitySettings } from '../../lib/identity/identitySettings.ts';
import { startIssuer } from '../support/api/testIssuer.ts';
import { blocks, codeIn, page, tableAfter } from '../support/programs/pages.ts';

const text = page('docs/identity.md');
const [settings = ''] = blocks(text, 'ts');

/** The claims of access tokens of the providers, in the order of the page, for a user of `acme` who may edit. */
const claimsOf = [
  {
    iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab12Cd34E',
    client_id: '6f1c2d3e4b5a69788f7e6d5c4b',
    token_use: 'access',
    sub: 'd2b5a4c4-1031-70a2-6c1f-0f1e2d3c4b5a',
    'cognito:groups': ['catalog-editors'],
    account: 'acme',
  },
  {
    iss: 'https://acme.eu.auth0.com/',
    aud: ['https://catalog.example.com', 'https://acme.eu.auth0.com/userinfo'],
    sub: 'auth0|65f0c2',
    scope: 'openid profile',
    permissions: ['catalog:edit'],
    'https://example.com/account': 'acme',
  },
  {
    iss: 'https://login.microsoftonline.com/8c7f1a2b-0d3e-4f5a-9b6c-7d8e9f0a1b2c/v2.0',
    aud: '1f2e3d4c-5b6a-4789-90ab-cdef01234567',
    oid: '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9',
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    scp: 'access',
    roles: ['Catalog.Editor'],
    account: 'acme',
  },
  {
    iss: 'https://login.acme.example/realms/shop',
    aud: ['catalog', 'account'],
    sub: '5f0f9e0c-3d7b-4c58-9d3e-2a6b1c0d9e8f',
    scope: 'openid profile',
    realm_access: { roles: ['catalog:edit', 'offline_access'] },
    account: 'acme',
  },
];

/** The settings in a column of the table of other providers: those cells that begin with a value. */
const settingsIn = (column: number): unknown =>
  Object.fromEntries(
    tableAfter(text, '## Other providers').flatMap((cells) => {
      const [name = '', cell = ''] = [codeIn(cells[0])[0], cells[column]];
      return /^`['{]/.test(cell) ? [[name, runInNewContext(`(${codeIn(cell)[0]})`)]] : [];
    }),
  );

const providers = [runInNewContext(`({${settings}}).identity`), ...[1, 2, 3].map(settingsIn)].map((found, index) => {
  const claims = claimsOf[index] as { iss: string };
  return { settings: identitySettings.parse(found), claims, iss: claims.iss };
});

const issuer = await startIssuer();
afterAll(() => issuer.close());

/** The caller of a token with claims, if the settings were for the tests' own issuer. */
const verify = (settings: IdentitySettings, claims: object) => {
  const provider = identityProvider({ ...settings, issuer: issuer.url }, { now: () => Date.now() });
  const nothingElse = { aud: undefined, sub: undefined, account: undefined, exp: undefined };
  return provider.verify(issuer.token({ ...nothingElse, ...claims, iss: issuer.url, exp: 4e9 }));
};

describe("the identity page's settings", () => {
  it.each(providers)('accept a token of $iss', async ({ settings, claims, iss }) => {
    expect(settings.issuer).toBe(iss);
    expect(await verify(settings, claims)).toMatchObject({ account: 'acme', permissions: ['catalog:edit'] });
  });

  it('are all that there are, with their defaults', () => {
    const least = { issuer: 'https://a.example', audience: 'a', claims: { permissions: 'required' } };
    const { claims } = identitySettings.parse(least);
    const names = Object.keys(identitySettings.shape).flatMap((name) =>
      name === 'claims' ? Object.keys(claims).map((claim) => `claims.${claim}`) : name,
    );
    const rows = tableAfter(text, '## Settings').map(([name, , initial]) => [codeIn(name)[0], initial]);
    expect(rows.map(([name]) => name)).toEqual(names);
    const shown = rows
      .filter(([name]) => name?.startsWith('claims.'))
      .map(([, initial]) => codeIn(initial)[0] ?? initial);
    expect(shown).toEqual(Object.values(claims));
    expect(rows.flatMap(([name, initial]) => (initial === 'required' ? name : []))).toEqual([
      ...['issuer', 'audience', 'claims.permissions'],
    ]);
  });
});
