import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzeMetafile, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionName } from '../../../infra/constructs/functionAccess.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { bundleFunction } from '../../support/bundleFunction.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-bundles-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a function needs to start. Starting calls no AWS service. */
const env = { AWS_REGION: 'local', [variables.table]: 'table', [variables.corsOrigins]: '*' };

/** Runs a script in a separate process, without node_modules. */
const run = (script: string, more: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, ['--enable-source-maps', '-e', script], {
    cwd: folder,
    env: { ...env, ...more },
    encoding: 'utf8',
  });

/** In bytes. */
const sizeLimits: Record<FunctionName, number> = { createItem: 255_000, updateItem: 255_000, authorizer: 230_000 };

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

  it('has a source map, so that stack traces name the source file and line', () => {
    const stack = run(`
      delete process.env.${variables.table};
      try { require('./${id}.js') } catch (error) { console.log(error.stack) }`);
    expect(stack).toMatch(/lib\/runtime\/environment\.ts:\d+:\d+/);
    expect(stack).toContain(`functions/${id}.ts`);
  });
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
