import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../../lib/access/caller.ts';
import { callerOf } from '../../../lib/identity/identityProvider.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import { json } from '../../support/items/arbitraries.ts';

const settingsWith = ({ claims, ...more }: { claims?: object; accounts?: unknown; permissions?: object } = {}) =>
  identitySettings.parse({
    ...{ issuer: 'https://login.example.com', audience: 'catalog', ...more },
    claims: { permissions: 'scope', ...claims },
  });

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
    const { issuer } = settingsWith();
    expect(caller).toEqual({ account: 'acme', user: 'ann', issuer, permissions: [], expiresAt: 1_001 });
  });

  it.each<[string, string | string[]]>([
    ['a missing claim', 'tenant'],
    ['a member that all objects have', 'constructor'],
    ['a text that its prototype has', 'inherited'],
    ['a nested claim in a text', ['account', '0']],
    ['a nested claim in a list', ['list', '0']],
    ['a nested claim in an object in a list', ['list', '1', 'account']],
    ['a nested claim in nothing', ['nothing', 'account']],
    ['a nested claim in a claim that is missing', ['tenant', 'account']],
  ])('are not taken from %s', (_case, account) => {
    const claims = Object.assign(Object.create({ inherited: 'acme' }), ann, { nothing: null, list: ['acme', ann] });
    expect(() => callerOf(claims, settingsWith({ claims: { account } }))).toThrow(new CatalogError('FORBIDDEN'));
  });
});

it.each([
  { account: 'acme#ITEMS' },
  { account: '' },
  { account: 1 },
  { sub: '' },
  { sub: 'ann\n' },
  { sub: undefined },
])('a caller with %j is forbidden', (claims) => {
  expect(() => callerOf({ ...ann, ...claims }, settingsWith())).toThrow(new CatalogError('FORBIDDEN'));
});

it('the account is the one that the settings have for the value of its claim, or for everybody', () => {
  const accountIn = (account: unknown, accounts: object | string) =>
    callerOf({ ...ann, account }, settingsWith({ accounts })).account;
  const accounts = { org_9ybs: 'acme', org_2: 'other' };
  expect(accountIn('org_9ybs', accounts)).toBe('acme');
  for (const account of ['acme', 'constructor', ['org_9ybs'], undefined])
    expect(() => accountIn(account, accounts)).toThrow(new CatalogError('FORBIDDEN'));
  for (const account of ['other', 5, undefined]) expect(accountIn(account, 'acme')).toBe('acme');
});

describe('the name under which the writes of operators are recorded', () => {
  const reserved = ['operator', 'Operator', ' oper ator', 'ｏｐｅｒａｔｏｒ', 'oper\u3164ator', 'оpегаtог', 'ОРЕГАТОГ'];
  it.each(reserved)('is no user, and neither is %j', (sub) => {
    expect(() => callerOf({ ...ann, sub }, settingsWith())).toThrow(new CatalogError('FORBIDDEN'));
  });

  it.each(['operators', 'operator2', 'cooperator', 'оператор', 'ann'])('is not %j', (sub) => {
    expect(callerOf({ ...ann, sub }, settingsWith()).user).toBe(sub);
  });
});

describe('the permissions', () => {
  const granted = (claim: unknown, more: { permissions?: object } = {}) =>
    callerOf({ ...ann, scope: claim }, settingsWith(more)).permissions;

  it.each<[unknown, readonly string[]]>([
    ['catalog:edit', ['catalog:edit']],
    ['openid catalog:admin catalog:cost:read  catalog:edit catalog:edit', permissions],
    [['catalog:edit', 'openid', 5, null, ['catalog:cost:read']], ['catalog:edit']],
    ['', []],
    [undefined, []],
    [null, []],
    [{ 'catalog:edit': { '4711': 'acme.example.com' }, openid: true }, ['catalog:edit']],
    [{ 'catalog:edit': false, 'catalog:admin': null, 'catalog:cost:read': {} }, []],
    [{ 'catalog:edit': true, 'catalog:admin': 'no', 'catalog:cost:read': 0 }, ['catalog:edit']],
    [{ 'catalog:edit': [], 'catalog:admin': ['acme'] }, []],
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
    expect(granted('Staff', { permissions: { Staff: ['catalog:edit', 'catalog:admin'] } })).toEqual([
      'catalog:edit',
      'catalog:admin',
    ]);
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
