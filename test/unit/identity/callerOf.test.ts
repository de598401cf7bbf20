import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../../lib/access/permissions.ts';
import { callerOf } from '../../../lib/identity/callerOf.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import { json } from '../../support/arbitraries.ts';

const settingsWith = (more: object = {}) =>
  identitySettings.parse({ issuer: 'https://login.example.com', audience: 'catalog', ...more });

const ann = { exp: 1_001, sub: 'ann', account: 'acme' };

describe('the account and the user', () => {
  it.each<[string, object, object]>([
    ['by their usual names', {}, ann],
    [
      'by a name that is an address',
      { account: 'https://example.com/account' },
      { 'https://example.com/account': 'acme' },
    ],
    ['by a name with a prefix', { account: 'custom:account' }, { 'custom:account': 'acme' }],
    ['by a name with a dot', { account: 'app.account' }, { 'app.account': 'acme', app: { account: 'evil' } }],
    ['in other claims', { account: ['app', 'account'] }, { app: { account: 'acme' }, 'app.account': 'evil' }],
    ['in a list of one name', { account: ['account'] }, { account: 'acme' }],
  ])('are found %s', (_case, claims, named) => {
    const caller = callerOf({ ...ann, account: undefined, ...named }, settingsWith({ claims }));
    expect(caller).toEqual({ account: 'acme', user: 'ann', permissions: [], expiresAt: 1_001 });
  });

  it.each<[string, string | string[]]>([
    ['a missing claim', 'tenant'],
    ['a member that all objects have', 'constructor'],
    ['a text that its prototype has', 'inherited'],
    ['a nested claim in a text', ['account', '0']],
    ['a nested claim in nothing', ['nothing', 'account']],
    ['a nested claim in a claim that is missing', ['tenant', 'account']],
  ])('are not taken from %s', (_case, account) => {
    const claims = Object.assign(Object.create({ inherited: 'acme' }), ann, { nothing: null });
    expect(() => callerOf(claims, settingsWith({ claims: { account } }))).toThrow(new CatalogError('FORBIDDEN'));
  });
});

describe('the permissions', () => {
  const granted = (claim: unknown, more: object = {}) =>
    callerOf({ ...ann, scope: claim }, settingsWith(more)).permissions;

  it.each<[unknown, readonly string[]]>([
    ['catalog:edit', ['catalog:edit']],
    ['openid catalog:admin catalog:cost:read  catalog:edit catalog:edit', permissions],
    [['catalog:edit', 'openid', 5, null, ['catalog:cost:read']], ['catalog:edit']],
    ['', []],
    [undefined, []],
    [null, []],
    [{ 'catalog:edit': true }, []],
    ['constructor toString __proto__', []],
    ['catalog:edit:all CATALOG:EDIT catalog', []],
  ])('with the default names in %j are %j', (claim, expected) => {
    expect(granted(claim)).toEqual(expected);
  });

  it('may have other names, which then replace the default ones', () => {
    const names = { permissions: { Editor: 'catalog:edit', Purchasing: 'catalog:cost:read', Owner: 'catalog:admin' } };
    expect(granted(['Editor'], names)).toEqual(['catalog:edit']);
    expect(granted('Purchasing Owner Editor Admin', names)).toEqual(permissions);
    expect(granted('catalog:edit', names)).toEqual([]);
  });
});

it('any claims give either a caller or FORBIDDEN', () => {
  const text = fc.oneof(json, fc.constantFrom('acme', 'ann', ['catalog:edit'], 'catalog:edit'));
  fc.assert(
    fc.property(text, text, text, (account, sub, scope) => {
      try {
        const caller = callerOf({ exp: 1, account, sub, scope }, settingsWith());
        expect([caller.account, caller.user]).toEqual([account, sub]);
      } catch (error) {
        expect(error).toEqual(new CatalogError('FORBIDDEN'));
      }
    }),
  );
});
