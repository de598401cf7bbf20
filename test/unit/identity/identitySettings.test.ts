import { describe, expect, it } from 'vitest';
import { permissions } from '../../../lib/access/caller.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';

const least = { issuer: 'https://login.example.com', audience: 'catalog', claims: { permissions: 'roles' } };

describe('the settings of an identity provider', () => {
  it('require only issuer, audience and the claim with the permissions', () => {
    expect(identitySettings.parse(least)).toEqual({
      ...least,
      claims: { account: 'account', user: 'sub', permissions: 'roles' },
      permissions: Object.fromEntries(permissions.map((name) => [name, name])),
    });
  });

  it.each<[object]>([
    [{ issuer: 'https://login.example.com/tenant/v2.0' }],
    [{ issuer: 'https://tenant.auth0.com/' }],
    [{ issuer: 'http://localhost:8080/realms/shop' }],
    [{ issuer: 'http://[::1]:8080' }],
    [{ audience: ['web', 'app'] }],
    [{ issuer: 'http://adfs.example.com/adfs/services/trust', jwksUri: 'https://adfs.example.com/keys?p=1' }],
    [{ claims: { account: 'custom:account', permissions: 'scope' } }],
    [{ accounts: { org_9ybsU1dN2dKfDkBi: 'acme' } }],
    [{ accounts: 'acme' }],
    [{ claims: { permissions: ['realm_access', 'roles'] } }],
    [{ permissions: { Editor: 'catalog:edit', Owner: ['catalog:edit', 'catalog:admin'] } }],
  ])('may be %j', (settings) => {
    expect(identitySettings.parse({ ...least, ...settings })).toMatchObject(settings);
  });

  it.each<[string, object]>([
    ['issuer', { issuer: 'http://login.example.com' }],
    ['issuer', { issuer: 'http://localhost.example.com' }],
    ['issuer', { issuer: 'https://login.example.com?tenant=1' }],
    ['issuer', { issuer: 'https://login.example.com/#' }],
    ['issuer', { issuer: 'https://user@login.example.com' }],
    ['issuer', { issuer: 'https://:password@login.example.com' }],
    ['issuer', { issuer: 'ftp://localhost' }],
    ['audience', { audience: '' }],
    ['audience', { audience: [] }],
    ['claims.permissions', { claims: undefined }],
    ['claims.permissions', { claims: { account: 'account' } }],
    ['claims.account', { claims: { ...least.claims, account: '' } }],
    ['claims', { claims: { ...least.claims, tenant: 'account' } }],
    ['accounts', { accounts: 'Acme#1' }],
    ['accounts.org_1', { accounts: { org_1: 'Acme#1' } }],
    ['permissions.Editor', { permissions: { Editor: 'catalog:delete' } }],
    ['permissions.Editor', { permissions: { Editor: [] } }],
    ['jwksUri', { jwksUri: 'http://login.example.com/keys' }],
    ['', { jwks: 'https://login.example.com/keys' }],
  ])('are invalid at "%s" with %j', (path, settings) => {
    const { error } = identitySettings.safeParse({ ...least, ...settings });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});
