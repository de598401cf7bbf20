import { afterAll, describe, expect, it, vi } from 'vitest';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { bearer, create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefusal, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { accountNotOpen, forbidden, unauthorized, withoutAccount } from '../support/api/refusals.ts';
import { signingKey, signToken } from '../support/api/signToken.ts';
import { type ApiResponse, startTestApi } from '../support/api/testApi.ts';
import { startIssuer } from '../support/api/testIssuer.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

const logged: string[] = [];

const issuer = await startIssuer();
process.env[variables.logLevel] = 'INFO';
vi.spyOn(process.stdout, 'write').mockImplementation((text) => logged.push(String(text)) > 0);
vi.spyOn(console, 'error').mockImplementation((...texts) => logged.push(texts.join(' ')));
const claims = { account: 'https://example.com/account', permissions: 'roles' };
const names = { Editor: 'catalog:edit', Purchasing: 'catalog:cost:read' };
const identity = identitySettings.parse({ issuer: issuer.url, audience: 'catalog', claims, permissions: names });
const api = await startTestApi({ identity });
afterAll(() => issuer.close());

const account = 'https://example.com/account';
const ann = { sub: 'auth0|ann', [account]: 'demo-1', account: undefined, roles: ['Editor', 'Purchasing', 'Sales'] };

/** The header of a request of Ann's, but for some claims. */
const as = (differences: object = {}, header: object = {}) => bearer(issuer.token({ ...ann, ...differences }, header));

const chair = { name: 'Chair' };
const { cost: _, ...withoutCost } = shownItem();
const writerIn = ({ text }: ApiResponse): string => JSON.parse(text).data.updated_by;

describe('a user of the identity provider', () => {
  it('creates and updates items, and is shown as their writer', async () => {
    const created = await api.send(create(chair, as()));
    const id = expectItem(created, shownItem(), 1);
    expect(writerIn(created)).toBe('auth0|ann');
    const bob = as({ sub: 'auth0|bob', roles: 'Editor' });
    const updated = await api.send(update(id, { value: 1 }, bob));
    expectItem(updated, { ...withoutCost, value: 1 }, 2);
    expect(writerIn(updated)).toBe('auth0|bob');
  });

  it('does not share idempotency keys with the user of the same name whom a token of this service names', async () => {
    const key = { 'idempotency-key': 'key-2' };
    const editor = { ...as({ sub: 'editor' }), ...key };
    const id = expectItem(await api.send(create(chair, key)), shownItem(), 1);
    expect(expectItem(await api.send(create(chair, editor)), shownItem(), 1)).not.toBe(id);
    expectItem(await api.send(update(id, { value: 1 }, key)), shownItem({ value: 1 }), 2);
    expectItem(await api.send(update(id, { value: 1 }, editor)), shownItem({ value: 1 }), 3);
    for (const headers of [key, editor])
      expect((await api.send(create(chair, headers))).headers['idempotency-replayed']).toBe('true');
  });
});

describe('a request is rejected and stores nothing with', () => {
  const past = () => Math.floor(Date.now() / 1000) - 1;

  it.each([
    ['a token that has just expired', () => as({ exp: past() }), unauthorized],
    ['a token for another audience', () => as({ aud: 'invoices' }), unauthorized],
    [
      'a token that somebody else has signed',
      () => bearer(signToken(issuer.claims(ann), signingKey('ES256', issuer.keys[0]?.kid))),
      unauthorized,
    ],
    ['a user without an account', () => as({ [account]: undefined }), withoutAccount],
    ['a user of an account that is not open', () => as({ [account]: 'demo-3' }), accountNotOpen],
    ['a user who may not edit', () => as({ roles: ['Purchasing', 'catalog:edit'] }), forbidden],
  ])('%s', async (_case, headers, refusal) => {
    const id = expectItem(await api.send(create(chair)), shownItem(), 1);
    await expectRefused(api, [create(chair, headers()), update(id, { value: 1 }, headers())], refusal);
  });

  it('a token that expired while the gateway still caches its policy', async () => {
    const exp = Math.floor(Date.now() / 1000) + 30;
    const headers = as({ exp });
    const id = expectItem(await api.send(create(chair, headers)), shownItem(), 1);
    setAhead(exp * 1000 - Date.now());
    const refusal = { ...unauthorized, byFunction: true };
    await expectRefused(api, [create(chair, headers), update(id, { value: 1 }, headers)], refusal);
  });
});

it('a request fails with 500 if the keys to verify its token cannot be fetched', async () => {
  // Ten seconds after the last unknown key.
  setAhead(10_000);
  await issuer.close();
  const failure = { status: 500, code: 'INTERNAL_ERROR' } as const;
  expectRefusal(await api.send(create(chair, as({}, { kid: 'another' }))), failure);
  expect(logged.at(-1)).toContain('AUTHORIZER_FAILURE');
  expect(
    logged.findLast((line) => line.includes('"operation":"authorizer"') && line.includes('"status":500')),
  ).toContain('"name":"KeysUnavailable"');
  expectItem(await api.send(create(chair, as())), shownItem(), 1);
});

it('no log line has a token or claims but the account, and of a refused one what it was issued for', () => {
  expect(logged.length).toBeGreaterThan(20);
  const all = logged.join('');
  expect(all).toContain('"account":"demo-1"');
  const refused = { reason: 'other audience', issuer: issuer.url, audience: ['invoices'], keyId: issuer.keys[0]?.kid };
  expect(all).toContain(`"refusal":${JSON.stringify({ ...refused, isUser: true })},"replayed"`);
  const secrets = ['eyJ', 'auth0', 'Editor', 'Purchasing', 'Sales'];
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
