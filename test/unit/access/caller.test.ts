import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Caller, fromAuthorizerContext, permissions, toAuthorizerContext } from '../../../lib/access/caller.ts';
import { json } from '../../support/items/arbitraries.ts';
import { refusalOf } from '../../support/items/refusalOf.ts';

const now = 1_000_000;
const ann: Caller = { account: 'acme', user: 'ann', permissions, expiresAt: 1_001 };
const unauthorized = {
  code: 'UNAUTHORIZED',
  message: 'The access token is missing or not valid.',
  fields: undefined,
};

it('the permissions are editing the catalog, seeing costs (spec 5), and configuring the catalog', () => {
  expect(permissions).toEqual(['catalog:edit', 'catalog:cost:read', 'catalog:admin']);
});

describe('the context of a caller', () => {
  it('consists only of strings, because API Gateway passes on nothing else', () => {
    expect(toAuthorizerContext(ann)).toEqual({
      account: 'acme',
      user: 'ann',
      permissions: 'catalog:edit catalog:cost:read catalog:admin',
      expiresAt: '1001',
    });
  });

  it('has no character of JSON in the name of a user', () => {
    const context = toAuthorizerContext({ ...ann, user: 'Zoë "{\\}" 50 %' });
    expect(JSON.stringify(context['user'])).not.toMatch(/[{}\\]/);
    expect(fromAuthorizerContext(context, now).user).toBe('Zoë "{\\}" 50 %');
    expect(toAuthorizerContext({ ...ann, user: 'Zoë 50 %22' })['user']).toBe('Zoë 50 %22');
  });

  it('decodes to the caller that was encoded', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    const caller = fc.record<Caller>({
      account: text,
      user: text,
      issuer: fc.option(text, { nil: undefined }),
      permissions: fc.subarray([...permissions]),
      expiresAt: fc.integer({ min: 1_001 }),
    });
    fc.assert(
      fc.property(caller, (one) => {
        expect(fromAuthorizerContext(toAuthorizerContext(one), now)).toEqual(one);
        expect(
          fromAuthorizerContext({ ...toAuthorizerContext(one), principalId: 'x', integrationLatency: 3 }, now),
        ).toEqual(one);
      }),
    );
  });

  it('also accepts the expiry as a number', () => {
    expect(fromAuthorizerContext({ ...toAuthorizerContext(ann), expiresAt: 1_001 }, now)).toEqual(ann);
  });

  it('ignores unknown permissions, even if they start with a known one', () => {
    expect(
      fromAuthorizerContext({ ...toAuthorizerContext(ann), permissions: 'catalog catalog:edit:all x ' }, now)
        .permissions,
    ).toEqual([]);
  });
});

describe('nobody', () => {
  it.each([
    ['no context', undefined],
    ['a text', 'ann'],
    ['a list', []],
    ['an empty context', {}],
    ['no account', { ...toAuthorizerContext(ann), account: undefined }],
    ['an empty account', { ...toAuthorizerContext(ann), account: '' }],
    ['an account that is not a string', { ...toAuthorizerContext(ann), account: 1 }],
    ['no user', { ...toAuthorizerContext(ann), user: undefined }],
    ['no permissions', { ...toAuthorizerContext(ann), permissions: undefined }],
    ['no expiry', { ...toAuthorizerContext(ann), expiresAt: undefined }],
    ['an empty expiry', { ...toAuthorizerContext(ann), expiresAt: '' }],
    ['an expiry that is not a number', { ...toAuthorizerContext(ann), expiresAt: 'never' }],
    ['an infinite expiry', { ...toAuthorizerContext(ann), expiresAt: 'Infinity' }],
    ['a token that has just expired', { ...toAuthorizerContext(ann), expiresAt: '1000' }],
  ])('is identified by %s', (_case, context) => {
    expect(refusalOf(() => fromAuthorizerContext(context, now))).toEqual(unauthorized);
  });

  it('is identified by any other JSON, and nothing else is thrown', () => {
    fc.assert(
      fc.property(json, (context) => {
        expect(refusalOf(() => fromAuthorizerContext(context, now))).toEqual(unauthorized);
      }),
    );
  });
});
