import { describe, expect, it } from 'vitest';
import { permissions } from '../../../lib/access/permissions.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';

const least = { issuer: 'https://login.example.com', audience: 'catalog' };

describe('the settings of an identity provider', () => {
  it('require only issuer and audience', () => {
    expect(identitySettings.parse(least)).toEqual({
      ...least,
      claims: { account: 'account', user: 'sub', permissions: 'scope' },
      permissions: Object.fromEntries(permissions.map((name) => [name, name])),
    });
  });

  it.each<[object]>([
    [{ issuer: 'https://login.example.com/tenant/v2.0' }],
    [{ issuer: 'https://tenant.auth0.com/' }],
    [{ issuer: 'http://localhost:8080/realms/shop' }],
    [{ issuer: 'http://127.0.0.1:8080' }],
    [{ issuer: 'http://[::1]:8080' }],
    [{ audience: ['web', 'app'] }],
    [{ claims: { account: 'custom:account' } }],
    [{ claims: { permissions: ['realm_access', 'roles'] } }],
    [{ permissions: { Editor: 'catalog:edit' } }],
  ])('may be %j', (settings) => {
    expect(identitySettings.parse({ ...least, ...settings })).toMatchObject(settings);
  });

  it.each<[string, object]>([
    ['issuer', { issuer: 'login.example.com' }],
    ['issuer', { issuer: 'http://login.example.com' }],
    ['issuer', { issuer: 'http://localhost.example.com' }],
    ['issuer', { issuer: 'https://login.example.com?tenant=1' }],
    ['issuer', { issuer: 'https://login.example.com/#' }],
    ['issuer', { issuer: 'https://user@login.example.com' }],
    ['issuer', { issuer: 'https://:password@login.example.com' }],
    ['issuer', { issuer: 'ftp://localhost' }],
    ['audience', { audience: '' }],
    ['audience', { audience: [] }],
    ['claims.account', { claims: { account: '' } }],
    ['claims.account', { claims: { account: [] } }],
    ['claims', { claims: { tenant: 'account' } }],
    ['permissions.Editor', { permissions: { Editor: 'catalog:delete' } }],
    ['', { jwksUri: 'https://login.example.com/keys' }],
  ])('are invalid at "%s" with %j', (path, settings) => {
    const { error } = identitySettings.safeParse({ ...least, ...settings });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});
