/**
 * Signs in at a real identity provider, `oidc-provider`, on a page with the settings that the page for frontends tells:
 * users import while their tokens are renewed, go on after a rotation of keys, and sign out. The packages are installed in
 * a folder of their own.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import { permissions } from '../../lib/access/caller.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { startService } from '../../local/startService.ts';
import { signingKey } from '../support/api/signToken.ts';
import { launchBrowser } from './launchBrowser.ts';

const packages = ['oidc-provider@9.13.3', 'oidc-client-ts@3.5.0'];
const audience = 'https://catalog.example.com';

/** The claims of the provider's users, besides their names. */
const people: Record<string, object> = {
  ann: { account: 'demo-1', roles: ['catalog:edit', 'catalog:cost:read'] },
  bob: { account: 'demo-1' },
  eve: { roles: ['catalog:edit'] },
};

/** @param isRevocable whether tokens can be revoked, as not every provider lets them */
const configuration = (home: string, isRevocable: boolean) => ({
  clients: [
    {
      ...{ client_id: 'frontend', token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], redirect_uris: [home] },
      post_logout_redirect_uris: [home],
    },
  ],
  clientBasedCORS: (_: unknown, origin: string) => `${origin}/` === home,
  cookies: { keys: ['secret'] },
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  extraTokenClaims: (_: unknown, { accountId }: { accountId: string }) => people[accountId],
  features: {
    revocation: { enabled: isRevocable },
    resourceIndicators: {
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        ...{ scope: permissions.join(' '), accessTokenFormat: 'jwt', accessTokenTTL: 10 },
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

/** Starts the provider, and beside it, on an origin of its own, the page of the frontend. */
async function startProvider(folder: string) {
  const library = join(folder, 'node_modules/oidc-provider/lib');
  const { default: Provider } = await import(join(library, 'index.js'));
  const { default: MemoryAdapter } = await import(join(library, 'adapters/memory_adapter.js'));
  const serve: { provider: RequestListener; html: string } = { provider: () => undefined, html: '' };
  const server = createServer((request, response) => {
    if (request.headers.host?.startsWith('127.')) return serve.provider(request, response);
    return response.writeHead(200, { 'content-type': 'text/html' }).end(serve.html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [url, home] = [`http://127.0.0.1:${port}`, `http://localhost:${port}/`];
  let keys: object[] = [];
  /** Unlike the library's own default, it outlives a rotation. */
  class adapter extends MemoryAdapter {}
  /** Signs with a new key from now on, which was not published before. */
  const rotate = (isRevocable = true): string => {
    const { kid, privateKey } = signingKey();
    keys = [{ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig' }, ...keys];
    const provider = new Provider(url, { ...configuration(home, isRevocable), adapter, jwks: { keys } });
    serve.provider = provider.callback();
    return kid;
  };
  rotate();
  return { url, home, serve, rotate, close: () => server.close().closeAllConnections() };
}

async function signIn(page: Page, user: string): Promise<void> {
  const asksWithChallenge = page.waitForRequest((request) => /code_challenge_method=S256/.test(request.url()));
  await Promise.all([asksWithChallenge, page.evaluate('void users.signinRedirect()')]);
  await page.locator('[name=login]').fill(user);
  await page.locator('[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('[data-signed-in=true]').waitFor({ state: 'attached' });
}

/** @returns the refresh token that the page has revoked; empty where it cannot */
async function signOut(page: Page): Promise<string> {
  let revoked: string | null = '';
  page.on('request', (request) => {
    if (request.url().endsWith('revocation')) revoked = new URLSearchParams(request.postData() ?? '').get('token');
  });
  await page.evaluate('void signOut()');
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.locator('[data-signed-in=false]').waitFor({ state: 'attached' });
  return revoked ?? '';
}

/** A part of the user's access token. */
async function tokenPart(page: Page, part: 0 | 1) {
  const token = await page.evaluate<string>('users.getUser().then((user) => user.access_token)');
  return JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());
}

async function importWhileRenewed(page: Page): Promise<void> {
  let items = 0;
  for (let rows = 500, tokens = 0; tokens < 3; rows *= 2) {
    const imported = await page.evaluate<Record<'tokens' | 'refused' | 'names', number>>(`importMany(${rows})`);
    items += rows;
    assert.deepEqual([imported.refused, imported.names], [0, items]);
    tokens = imported.tokens;
    console.log(`Ann imports ${rows} rows with ${tokens} tokens.`);
  }
}

async function signInAndOut(
  page: Page,
  { url, home, rotate }: Awaited<ReturnType<typeof startProvider>>,
): Promise<void> {
  await page.goto(home);
  await signIn(page, 'ann');
  assert.deepEqual(await page.evaluate('granted()'), ['catalog:edit', 'catalog:cost:read']);
  await importWhileRenewed(page);

  const kid = rotate();
  while ((await tokenPart(page, 0)).kid !== kid) await sleep(100);
  assert.equal(await page.evaluate('tryToCreate()'), 201);
  console.log('She goes on with a token of a new key.');

  const refreshToken = await signOut(page);
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'frontend', refresh_token: refreshToken });
  const refreshed = await fetch(`${url}/token`, { method: 'POST', body });
  assert.deepEqual([refreshed.status, Object(await refreshed.json()).error], [400, 'invalid_grant']);
  console.log('After she has signed out, her refresh token is refused.');

  // From here on, the provider has no revocation endpoint.
  rotate(false);
  await signIn(page, 'bob');
  assert.match((await tokenPart(page, 1)).scope, /catalog:edit/);
  assert.deepEqual([await page.evaluate('granted()'), await page.evaluate('tryToCreate()')], [[], 403]);
  assert.equal(await signOut(page), '');
  await signIn(page, 'eve');
  assert.equal(await page.evaluate('granted()'), 403);
  console.log('Bob, who has no role, only reads, whatever the frontend asks for. Eve, who has no account, gets 403.');
}

async function trySignIn(): Promise<void> {
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const folder = mkdtempSync(join(tmpdir(), 'catalog-sign-in-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const browser = await launchBrowser();
    closers.unshift(() => browser.close());
    await promisify(execFile)('npm', ['install', '--no-audit', '--prefix', folder, ...packages]);
    const provider = await startProvider(folder);
    closers.unshift(provider.close);
    const claims = { permissions: 'roles' };
    const identity = identitySettings.parse({ issuer: provider.url, audience, claims });
    const service = await startService({ port: 0, identity });
    closers.unshift(service.close);
    const addresses = { authority: provider.url, api: service.url, resource: audience };
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'signIn/page.js')],
      ...{ bundle: true, format: 'esm', write: false, nodePaths: [join(folder, 'node_modules')] },
      banner: { js: `const { authority, api, resource } = ${JSON.stringify(addresses)};` },
    });
    const page = await browser.newPage();
    page.on('pageerror', (error) => console.error(error));
    provider.serve.html = `<!doctype html><body><script type="module">${outputFiles[0]?.text}</script>`;
    await signInAndOut(page, provider);
  } finally {
    for (const close of closers) await close();
  }
}

await runCommand(
  createProgram(
    'npm run nightly -- try-sign-in',
    'Signs in at a real identity provider in Chromium, imports while tokens are renewed, and signs out.',
  ).action(trySignIn),
);
