import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdentityProvider } from '../../../lib/access/authorize.ts';
import { identityProvider } from '../../../lib/identity/identityProvider.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { type SigningKey, signingKey, signToken } from '../../support/api/signToken.ts';
import { asJson, startIssuer, type TestIssuer } from '../../support/api/testIssuer.ts';

let issuer: TestIssuer;
/** Milliseconds since 1970, as the provider under test sees it. */
let time: number;

beforeEach(async () => {
  issuer = await startIssuer();
  time = Date.now();
});
afterEach(() => issuer.close());

const open = (): IdentityProvider =>
  identityProvider(
    identitySettings.parse({ issuer: issuer.url, audience: 'catalog', claims: { permissions: 'scope' } }),
    {
      now: () => time,
      timeout: 20_000,
    },
  );

/** A provider that has fetched its keys. */
async function openWithKeys(): Promise<IdentityProvider> {
  const provider = open();
  await expect(provider.verify(issuer.token())).resolves.toBeDefined();
  return provider;
}

const hour = 60 * 60 * 1_000;
/** Lets a token wait for the provider's answer, until that ends. */
async function hangFor(provider: IdentityProvider) {
  const { promise: hanging, resolve } = Promise.withResolvers<ServerResponse>();
  issuer.answers.keys = (response) => resolve(response);
  const waiting = provider.verify(issuer.token());
  const response = await hanging;
  const end = () => {
    issuer.answers.keys = asJson;
    response.destroy();
  };
  return { end, waiting };
}

const unavailable = { name: 'KeysUnavailable' };
const withUnknownKey = () => issuer.token({}, { kid: crypto.randomUUID() });

describe('the keys', () => {
  it('are fetched when a token needs them, and cached', async () => {
    const provider = open();
    await fetch(`${issuer.url}/.well-known/openid-configuration`);
    expect(issuer.requests).toBe(0);
    expect(await provider.verify(issuer.token())).toBeDefined();
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
    time += hour - 1;
    expect(await provider.verify(token)).toBeDefined();
    time += 1;
    expect(await provider.verify(token)).toBeUndefined();
    expect(await provider.verify(issuer.token())).toBeDefined();
    expect(issuer.requests).toBe(2);
  });

  it('are kept for a day while the provider is unavailable, which is asked once a minute', async () => {
    const provider = await openWithKeys();
    issuer.answers.keys = (response) => response.destroy();
    time += hour;
    // Each time it is tried twice.
    for (const requests of [3, 5, 7]) {
      for (let sent = 0; sent < 3; sent += 1) expect(await provider.verify(issuer.token())).toBeDefined();
      expect(issuer.requests).toBe(requests);
      time += 59_999;
      expect(await provider.verify(issuer.token())).toBeDefined();
      expect(issuer.requests).toBe(requests);
      time += 1;
    }
    time += 23 * hour - 3 * 60_000 - 1;
    expect(await provider.verify(issuer.token())).toBeDefined();
    time += 1;
    await expect(provider.verify(issuer.token())).rejects.toMatchObject(unavailable);
    issuer.answers.keys = asJson;
    time += 60_000;
    expect(await provider.verify(issuer.token())).toBeDefined();
  });

  it('are awaited by one request only while the provider does not answer', async () => {
    const provider = await openWithKeys();
    time += hour;
    const { end, waiting } = await hangFor(provider);
    expect(await provider.verify(issuer.token())).toBeDefined();
    // It is still under way, and tries again.
    end();
    expect(await waiting).toBeDefined();
    expect(issuer.requests).toBe(3);
  });

  it('rotate under load without rejections if published before use, whatever key ids attackers make up', async () => {
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

  it('is asked every three seconds, not for each token, so that a blip costs its users no more', async () => {
    issuer.answers.keys = (response) => response.writeHead(500).end();
    const provider = open();
    for (let sent = 0; sent < 10; sent += 1)
      await expect(provider.verify(issuer.token())).rejects.toMatchObject(unavailable);
    // Each time it is tried twice.
    expect(issuer.requests).toBe(2);
    issuer.answers.keys = asJson;
    time += 2_999;
    await expect(provider.verify(issuer.token())).rejects.toMatchObject(unavailable);
    time += 1;
    expect(await provider.verify(issuer.token())).toBeDefined();
    expect(await provider.verify(withUnknownKey())).toBeUndefined();
  });

  it('delays one request for each attempt, while the others fail at once', async () => {
    issuer.answers.keys = (response) => response.destroy();
    const provider = open();
    await expect(provider.verify(issuer.token())).rejects.toMatchObject(unavailable);
    time += 3_000;
    const { end, waiting } = await hangFor(provider);
    await expect(provider.verify(issuer.token())).rejects.toMatchObject({ cause: { message: 'socket hang up' } });
    expect(issuer.requests).toBe(3);
    end();
    expect(await waiting).toBeDefined();
  });

  it('does not delay requests whose token cannot be its own', async () => {
    await issuer.close();
    const provider = open();
    expect(await provider.verify(issuer.token({ iss: 'https://login.example.com' }))).toBeUndefined();
    expect(await provider.verify(issuer.token({}, { alg: 'none' }))).toBeUndefined();
    expect(await provider.verify('x'.repeat(100_000))).toBeUndefined();
  });
});
