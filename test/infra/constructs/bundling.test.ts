import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzeMetafile, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionName } from '../../../infra/constructs/functionAccess.ts';
import { toAuthorizerContext } from '../../../lib/access/caller.ts';
import { createToken } from '../../../lib/access/tokenFormat.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { bundleFunction } from '../../support/bundleFunction.ts';
import { testCaller } from '../../support/proxyEvent.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-bundles-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a function needs to start. Starting calls no AWS service. */
const env = { AWS_REGION: 'local', [variables.table]: 'table', [variables.corsOrigins]: '*' };

/** Runs a script in a separate process, without node_modules. */
const run = (script: string, more: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, ['-e', script], {
    cwd: folder,
    env: { ...env, ...more },
    encoding: 'utf8',
  });

/** In bytes. */
const sizeLimits: Record<FunctionName, number> = {
  createItem: 255_000,
  updateItem: 255_000,
  getItem: 232_000,
  listItems: 242_000,
  getCatalog: 232_000,
  authorizer: 230_000,
};

describe.each(Object.entries(sizeLimits))('the bundle of %s', (id, limit) => {
  const outfile = join(folder, `${id}.js`);
  let metafile: Metafile;

  beforeAll(async () => {
    metafile = await bundleFunction(id, outfile);
  });

  it(`is smaller than ${limit} bytes`, async () => {
    const [, output] = Object.entries(metafile.outputs).find(([path]) => path.endsWith('.js')) ?? [];
    expect(output?.bytes, await analyzeMetafile(metafile)).toBeLessThan(limit);
  });

  it('starts without node_modules, exports its handler and does not load undici', () => {
    const started = run(`
      const { handler } = require('./${id}.js');
      console.log(JSON.stringify([typeof handler, process.moduleLoadList.filter((name) => name.includes('undici'))]));`);
    expect(JSON.parse(started)).toEqual(['function', []]);
  });

  it('logs a failure with the files and lines of the sources, without --enable-source-maps', () => {
    const event = {
      headers: { authorization: `Bearer ${createToken()}`, 'content-type': 'application/json' },
      body: '{"name":"Chair"}',
      pathParameters: { id: '1' },
      methodArn: 'arn:aws:execute-api:local:1:api/live/GET/items',
      requestContext: { requestId: 'request-1', authorizer: toAuthorizerContext(testCaller('acme')) },
    };
    // Without any time left, the store gives up before it sends anything.
    const logged = run(`
      const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 0 };
      require('./${id}.js').handler(${JSON.stringify(event)}, context).catch(() => undefined);`);
    expect(JSON.parse(logged).error.stack).toContainEqual(
      expect.stringMatching(/^at .*lib\/store\/database\/tableReader\.ts:\d+:\d+\)?$/),
    );
  });
});

it('the bundle of the heartbeat starts without node_modules', async () => {
  await bundleFunction('heartbeat', join(folder, 'heartbeat.js'));
  const started = run("console.log(typeof require('./heartbeat.js').handler)", {
    [variables.url]: 'https://api.test/',
  });
  expect(started).toBe('function\n');
});

it('the bundle of the authorizer runs the code for an identity provider only if there is one', async () => {
  await bundleFunction('authorizer', join(folder, 'authorizer.js'));
  // Only that code needs this module of Node.
  const loadsHttp = `require('./authorizer.js'); setImmediate(() => {
    console.log(process.moduleLoadList.includes('NativeModule http')); process.exit() });`;
  const identity = identitySettings.parse({ issuer: 'http://127.0.0.1:1', audience: 'catalog' });
  expect(run(loadsHttp)).toBe('false\n');
  expect(run(loadsHttp, { [variables.identity]: JSON.stringify(identity) })).toBe('true\n');
});
