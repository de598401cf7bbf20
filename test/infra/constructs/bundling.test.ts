import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyzeMetafile, type BuildOptions, build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alias, bundling } from '../../../infra/constructs/bundling.ts';
import type { FunctionName } from '../../../infra/constructs/functionAccess.ts';
import { variables } from '../../../lib/runtime/environment.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'catalog-bundles-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a function needs to start. Starting calls no AWS service. */
const env = { AWS_REGION: 'local', [variables.table]: 'table', [variables.corsOrigins]: '*' };

/** Runs a script in a separate process, without node_modules. */
const run = (script: string): string =>
  execFileSync(process.execPath, ['--enable-source-maps', '-e', script], { cwd: folder, env, encoding: 'utf8' });

/** In bytes. */
const sizeLimits: Record<FunctionName, number> = { createItem: 255_000, updateItem: 255_000, authorizer: 220_000 };

describe.each(Object.entries(sizeLimits))('the bundle of %s', (id, limit) => {
  const outfile = join(folder, `${id}.js`);
  let metafile: Metafile;

  beforeAll(async () => {
    const { minify, sourceMap, sourcesContent, mainFields, target, format, externalModules } = bundling;
    const options = { minify, sourcemap: sourceMap, sourcesContent, mainFields, target, format };
    const entryPoints = [join(root, 'functions', `${id}.ts`)];
    const fixed = {
      bundle: true,
      platform: 'node',
      metafile: true,
      outfile,
      entryPoints,
      external: externalModules,
      alias,
    };
    const built = await build({ ...options, ...fixed } as BuildOptions & { metafile: true });
    metafile = built.metafile;
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
