import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IdentityProvider } from '../../../lib/access/authorize.ts';
import { identityProvider } from '../../../lib/identity/identityProvider.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { type SigningKey, signingKey, signToken } from '../../support/signToken.ts';
import { asJson, startIssuer, type TestIssuer } from '../../support/testIssuer.ts';

let issuer: TestIssuer;
/** Milliseconds since 1970, as the provider under test sees it. */
let time: number;

beforeEach(async () => {
  issuer = await startIssuer();
  time = Date.now();
});
afterEach(() => issuer.close());

const open = (): IdentityProvider =>
  identityProvider(identitySettings.parse({ issuer: issuer.url, audience: 'catalog' }), {
    now: () => time,
    timeout: 20_000,
  });

/** A provider that has fetched its keys. */
async function openWithKeys(): Promise<IdentityProvider> {
  const provider = open();
  await vi.waitUntil(() => issuer.requests === 1);
  await expect(provider.verify(issuer.token())).resolves.toBeDefined();
  return provider;
}

const unavailable = { name: 'KeysUnavailable' };
const withUnknownKey = () => issuer.token({}, { kid: crypto.randomUUID() });

describe('the keys', () => {
  it('are fetched when the function starts, and cached', async () => {
    const provider = await openWithKeys();
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await provider.verify(issuer.token())).toBeDefined();
      // A request that the token had caused would arrive before this one.
      await fetch(`${issuer.url}/.well-known/openid-configuration`);
    }
    await issuer.close();
    expect(await provider.verify(issuer.token())).toBeDefined();
    expect(issuer.requests).toBe(1);
  });

  it('are fetched once for all concurrent callers', async () => {
    const provider = open();
    const all = await Promise.all(Array.from({ length: 50 }, () => provider.verify(issuer.token())));
    expect(all.every((caller) => caller?.user === 'ann')).toBe(true);
    expect(issuer.requests).toBe(1);
  });

  it('are fetched again for each unknown key that the provider has', async () => {
    const provider = await openWithKeys();
    for (const requests of [2, 3]) {
      issuer.keys = [signingKey(), ...issuer.keys];
      expect(await provider.verify(issuer.token())).toBeDefined();
      expect(issuer.requests).toBe(requests);
    }
  });

  it('are fetched again after an hour, so that a withdrawn key is no longer trusted', async () => {
    const provider = await openWithKeys();
    const token = issuer.token();
    issuer.keys = [signingKey()];
    time += 60 * 60 * 1000;
    await provider.verify(token);
    await vi.waitUntil(async () => (await provider.verify(token)) === undefined);
    expect(await provider.verify(issuer.token())).toBeDefined();
  });

  it('are kept longer than an hour while the provider is unavailable', async () => {
    const provider = await openWithKeys();
    await issuer.close();
    time += 60 * 60 * 1000;
    expect(await provider.verify(issuer.token())).toBeDefined();
  });

  it('rotate under load: a key that is published before it is used causes no rejections, whatever key ids attackers make up', async () => {
    const provider = await openWithKeys();
    const next = signingKey();
    const sendWith = async (key: SigningKey | undefined): Promise<void> => {
      const good = Array.from({ length: 50 }, () => signToken(issuer.claims(), key ?? next));
      const all = good.flatMap((token) => [provider.verify(token), provider.verify(withUnknownKey())]);
      const accepted = (await Promise.all(all)).filter((caller) => caller !== undefined);
      expect(accepted).toHaveLength(good.length);
    };
    const [old] = issuer.keys;
    await sendWith(old);
    issuer.keys = [...issuer.keys, next];
    await sendWith(old);
    time += 10_000;
    await sendWith(old);
    await sendWith(next);
    expect(issuer.requests).toBe(3);
  });
});

describe('a made-up key id', () => {
  it('is rejected, and causes at most one request to the provider in ten seconds', async () => {
    const provider = await openWithKeys();
    for (let sent = 0; sent < 20; sent += 1) expect(await provider.verify(withUnknownKey())).toBeUndefined();
    expect(issuer.requests).toBe(2);
    time += 9_999;
    expect(await provider.verify(withUnknownKey())).toBeUndefined();
    expect(issuer.requests).toBe(2);
    time += 1;
    expect(await provider.verify(withUnknownKey())).toBeUndefined();
    expect(issuer.requests).toBe(3);
    expect(await provider.verify(issuer.token())).toBeDefined();
  });

  it('is a failure and not a rejection while the provider is unavailable, because it might be a new key', async () => {
    const provider = await openWithKeys();
    await issuer.close();
    for (let sent = 0; sent < 2; sent += 1)
      await expect(provider.verify(withUnknownKey())).rejects.toMatchObject(unavailable);
    expect(await provider.verify(issuer.token())).toBeDefined();
  });
});

describe('a provider without keys', () => {
  it('that is unavailable is a failure', async () => {
    await issuer.close();
    await expect(open().verify(issuer.token())).rejects.toMatchObject(unavailable);
  });

  it('gets one request per second, not per token, and is used as soon as it is available again', async () => {
    issuer.answers.keys = (response) => response.writeHead(500).end();
    const provider = open();
    for (let sent = 0; sent < 10; sent += 1)
      await expect(provider.verify(issuer.token())).rejects.toMatchObject(unavailable);
    // Each time it is tried twice.
    expect(issuer.requests).toBe(2);
    issuer.answers.keys = asJson;
    await expect(provider.verify(issuer.token())).rejects.toMatchObject(unavailable);
    time += 1_000;
    expect(await provider.verify(issuer.token())).toBeDefined();
  });

  it('does not delay requests whose token cannot be its own', async () => {
    await issuer.close();
    const provider = open();
    expect(await provider.verify(issuer.token({ iss: 'https://login.example.com' }))).toBeUndefined();
    expect(await provider.verify(issuer.token({}, { alg: 'none' }))).toBeUndefined();
    expect(await provider.verify('x'.repeat(100_000))).toBeUndefined();
  });
});
