/**
 * Packs the client, installs it as a frontend does, and has the program in `frontend` try it against the local service: in
 * Chromium on a page of another origin, bundled by Vite and by esbuild, and in each Node that it supports.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import client from '../../client/package.json' with { type: 'json' };
import { variables } from '../../lib/runtime/environment.ts';
import { startService } from '../../local/startService.ts';
import { launchBrowser } from './launchBrowser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.local/frontend');

/** Builds the page from `frontend` into a folder. */
const bundlers = {
  vite: 'vite build --base ./ --outDir vite --target esnext --logLevel warn',
  esbuild: 'esbuild main.js --bundle --format=esm --outfile=esbuild/main.js --log-level=warning',
};
const nodes = ['20', '22', '24'];

const expected = {
  ...{ refused: ['name'], left: null, etag: '"1"', saved: 2, conflict: 2, merged: [2, { color: 'oak' }] },
  ...{ followed: 3, found: 1, named: 1, changed: 3, loaded: 1, failure: [401, 'UNAUTHORIZED', 'string'] },
  ...{ undone: [1, 1, {}] },
};

async function run(line: string, cwd = folder): Promise<string> {
  const [program = '', ...args] = line.split(' ');
  return (await promisify(execFile)(program, args, { cwd })).stdout;
}

async function install(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('npm run --silent build --workspace client', root);
  await run(`npm pack --ignore-scripts --workspace client --pack-destination ${folder}`, root);
  cpSync(join(root, 'test/browser/frontend'), folder, { recursive: true });
  await run('npm init --yes --init-type=module');
  await run(`npm install --no-audit ./${client.name}-${client.version}.tgz`);
}

/** @returns what the program has seen, on a page of an origin of its own */
async function inBrowser(browser: Browser, built: string, url: string, token: string): Promise<unknown> {
  const server = createServer(async ({ url: path = '' }, response) => {
    const file = join(folder, built, path === '/' ? 'index.html' : path);
    const type = file.endsWith('.html') ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'content-type': type }).end(await readFile(file));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => console.error(error));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#${url},${token}`);
    return JSON.parse((await page.locator('pre').textContent()) ?? '');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function inNode(version: string, url: string, token: string): Promise<unknown> {
  const name = `node-linux-${process.arch}`;
  await run(`npm install --no-audit --prefix ${version} ${name}@${version}`);
  return JSON.parse(await run(`${version}/node_modules/${name}/bin/node main.js ${url} ${token}`));
}

async function tryClient(): Promise<void> {
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const browser = await launchBrowser();
  const service = await startService({ port: 0 });
  try {
    await install();
    for (const [name, build] of Object.entries(bundlers)) {
      await run(build);
      cpSync(join(folder, 'index.html'), join(folder, 'esbuild/index.html'));
      assert.deepEqual(await inBrowser(browser, name, service.url, service.tokens.editor), expected);
      console.log(`The client works in Chromium ${browser.version()}, bundled by ${name}, from another origin.`);
    }
    for (const version of nodes) {
      assert.deepEqual(await inNode(version, service.url, service.tokens.editor), expected);
      console.log(`The client works in Node ${version}.`);
    }
  } finally {
    await browser.close();
    await service.close();
  }
}

await runCommand(
  createProgram(
    'npm run nightly -- try-client',
    'Installs the packed client, and tries it in Chromium, bundled by Vite and by esbuild, and in each Node.',
  ).action(tryClient),
);
