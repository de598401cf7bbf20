import { globSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { build } from 'esbuild';
import { expect, it, vi } from 'vitest';
import { listItemChanges } from '../../client/items/followChanges.ts';
import manifest from '../../client/package.json' with { type: 'json' };
import type { Item } from '../../client/public/index.ts';
import { keys } from '../../lib/store/records/keys.ts';
import lock from '../../package-lock.json' with { type: 'json' };
import { create, update } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { blocks, codeIn, page, tableAfter } from '../support/programs/pages.ts';
import { root } from '../support/programs/program.ts';

const [frontend, readme] = [page('docs/frontend.md'), page('client/README.md')];

/** Bundles a program of a frontend, with the client from its sources. @returns what is loaded at once, and what later */
async function bundleParts(program: string, folder = 'page') {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: `${root}${folder}`, loader: 'ts' },
    ...{ bundle: true, format: 'esm', minify: true, write: false, external: ['react'] },
    ...{ splitting: true, metafile: true, outdir: 'out', absWorkingDir: root },
  });
  const { outputs } = metafile;
  const atOnce = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === '<stdin>'));
  for (const file of atOnce)
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) atOnce.add(path);
  const textOf = (isMeant: (file: string) => boolean) =>
    outputFiles
      .filter(({ path }) => isMeant(path.slice(root.length)))
      .map(({ text }) => text)
      .join('');
  return { atOnce: textOf((file) => atOnce.has(file)), later: textOf((file) => !atOnce.has(file)) };
}

const bundle = async (program: string, folder?: string) => (await bundleParts(program, folder)).atOnce;

const sizeIn = (code: string) => gzipSync(code).length / 1000;

/** Of a frontend that uses only these functions, in KB. */
async function sizeOf(exports: readonly (readonly [module: string, name: string])[]): Promise<number> {
  const program = exports.map(([module, name]) => `export { ${name} } from '${module}';`).join('');
  return sizeIn(await bundle(program));
}

it('the client has the version of the newest entry of its changelog, also in package-lock.json', () => {
  const [, version = ''] = /^## (\d+\.\d+\.\d+)$/m.exec(page('client/CHANGELOG.md')) ?? [];
  expect([manifest.version, lock.packages.client.version]).toEqual([version, version]);
  expect(frontend).toContain(`catalog-client-${version}.tgz`);
});

/** The rows of the table of functions. */
const functions = tableAfter(readme, 'What an error says').map(([module, name, example = '']) => ({
  module: codeIn(module)[0] ?? '',
  name: codeIn(name)[0] ?? '',
  example: example.replaceAll('&#124;', '|').replaceAll(/^`+ ?| ?`+$/g, ''),
}));

it('the package’s README has every function', async () => {
  const entries = Object.entries(manifest.exports).map(async ([entry, built]) => {
    const module = await import(built.replace('./dist/', '../../').replace('.js', '.ts'));
    return Object.keys(module)
      .filter((name) => typeof module[name] === 'function' || name.length === 2)
      .map((name) => `${entry.replace('.', manifest.name)} ${name}`);
  });
  expect(functions.map(({ module, name }) => `${module} ${name}`).sort()).toEqual(
    (await Promise.all(entries)).flat().sort(),
  );
});

it('each function has the example of its comment there', () => {
  const sources = globSync('client/*/*.ts', { cwd: root });
  const comments = sources
    .map((file) => readFileSync(`${root}${file}`, 'utf8'))
    .join('\n')
    .replaceAll(/\s*\n \*\s*/g, ' ');
  for (const { name, example } of functions) {
    expect(example, name).toContain(name);
    expect(comments, name).toContain(`@example ${example}`);
  }
});

/** The sizes that the README promises, in KB. */
const [most = 0, ...mostWithSheets] = [...readme.matchAll(/less than (\d+)/g)].map(([, size]) => Number(size));

it('a frontend that only creates and saves has no more of the client than the README says', async () => {
  const modules = ['createCatalogClient', 'createItem', 'saveItem'] as const;
  const size = await sizeOf(
    modules.map((name) => [name === 'createCatalogClient' ? 'catalog-client' : `catalog-client/${name}`, name]),
  );
  expect(size).toBeLessThan(most);
});

it('no more is loaded with a sheet than the README says, and one worker has the library', async () => {
  const codes = ['sheetWorker', 'workbookWorker'].map((name) =>
    bundle(readFileSync(new URL(`../../client/import/${name}.ts`, import.meta.url), 'utf8'), 'client/import'),
  );
  const [sheet = '', workbook = ''] = await Promise.all(codes);
  const page = await bundle("export * from 'catalog-client/readSheet';");
  const { later } = await bundleParts("export { useImport } from '../client/react/hooks.ts';");
  expect(mostWithSheets).toHaveLength(3);
  for (const [index, code] of [sheet, workbook, later].entries())
    expect(sizeIn(code)).toBeLessThan(mostWithSheets[index] ?? 0);
  expect([sheet, workbook, page].map((code) => code.includes('sharedStrings'))).toEqual([false, true, false]);
});

const api = await startTestApi({ recordsChanges: true });

it('the page’s copy of the catalog takes what is created, changed and removed after it has begun', async () => {
  const client = clientOf(api);
  const created = async (name: string): Promise<number> =>
    JSON.parse((await api.send(create({ name, active: name !== 'Inactive' }))).text).data.id;
  const [kept, removed, inactive] = [await created('Kept'), await created('Removed'), await created('Inactive')];
  const { fetch } = globalThis;
  const [listed, recorded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.url.includes('/changes?')) {
      listed.resolve();
      await recorded.promise;
    }
    return fetch(request);
  });
  const [example = ''] = blocks(frontend, 'ts').filter((code) => code.includes('keepCopy'));
  const { keepCopy } = await import(`data:text/javascript;base64,${btoa(await bundle(example))}`);
  const [copy, ended] = [new Map<number, Item>(), new AbortController()];
  const running = keepCopy(client, copy, ended.signal);
  await listed.promise;
  expect([...copy.keys()].sort()).toEqual([kept, removed, inactive].sort());
  vi.unstubAllGlobals();
  await api.send(update(kept, { value: 5 }));
  const added = await created('Added');
  await api.client.send(new DeleteCommand({ TableName: api.table, Key: keys.item('demo-1', removed) }));
  await vi.waitUntil(async () => (await listItemChanges(client, removed).next()).value?.kind === 'removed', {
    timeout: 60_000,
  });
  recorded.resolve();
  await vi.waitUntil(() => copy.size === 3 && copy.has(added), { timeout: 60_000 });
  expect([copy.has(removed), copy.get(kept)?.value, copy.get(inactive)?.name]).toEqual([false, 5, 'Inactive']);
  ended.abort();
  await running;
});
