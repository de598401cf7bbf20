import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** What constructs may know of `lib`: names, lists and numbers, but no behaviour. */
const facts =
  'lib/item/errors.ts lib/item/fields.ts lib/catalog/timeouts.ts lib/access/accountId.ts lib/access/shares.ts lib/identity/identitySettings.ts ' +
  'lib/http/headers.ts lib/http/operations.ts lib/store/database/record.ts lib/store/records/keys.ts lib/runtime/environment.ts lib/runtime/metrics.ts';

/** What each folder may import besides itself, types included. A file belongs to the row with the longest match. */
const allowed: Record<string, string> = {
  'functions/': 'lib/ admin/',
  'lib/item/': 'zod',
  'lib/catalog/': 'lib/item/',
  'lib/access/': 'lib/item/ lib/catalog/ node:',
  'lib/identity/': 'lib/item/ lib/catalog/ lib/access/ jose node: zod',
  'lib/store/': 'lib/item/ lib/catalog/ lib/access/ node: zod',
  'lib/store/database/': 'lib/item/ lib/catalog/ @aws-sdk/ node:',
  'lib/store/sdk/': 'lib/catalog/ lib/store/database/ @aws-sdk/ node:',
  'lib/http/': 'lib/item/ lib/catalog/ lib/access/ @middy/core aws-lambda zod',
  'lib/changes/': 'lib/item/ lib/catalog/ lib/access/ lib/store/ lib/http/ @aws-sdk/ aws-lambda zod',
  'lib/openapi/': 'lib/item/ lib/catalog/ lib/access/ lib/changes/ lib/http/ zod',
  'lib/runtime/': 'lib/ node:',
  'admin/': 'lib/ client/ cli/ infra/environments.ts @aws-sdk/ @commander-js/extra-typings aws-lambda node: zod',
  'local/': 'lib/ admin/ cli/ infra/ @aws-sdk/ aws-lambda esbuild node: zod',
  'local/gateway/': 'local/ cli/ aws-lambda node: zod',
  'infra/': `${facts} cdk.json aws-cdk-lib cdk-nag constructs node: zod`,
  'cli/': 'lib/ infra/environments.ts @aws-sdk/ @commander-js/extra-typings yocto-spinner node: zod',
  'client/':
    'lib/item/customName.ts lib/item/decimal.ts lib/item/fields.ts lib/item/json.ts lib/item/limits.ts lib/item/lists.ts lib/item/repeatedRows.ts lib/item/text.ts openapi-fetch',
  'client/public/': 'client/ lib/item/fields.ts',
  'client/react/': 'client/ react',
  'client/sheet/': 'lib/item/ fflate',
  'client/undo/plan/': 'lib/item/ client/http/catalogClient.ts client/storage/ranges.ts client/undo/undoTarget.ts',
  'page/': 'catalog-client react',
  'tools/': 'cli/ node:',
  'tools/cdk/': 'cli/ infra/ @aws-sdk/ node: yaml',
  'tools/generate/': 'cli/ lib/openapi/ package.json node:',
};

const importing = /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'/gm;
const exporting = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;

const sources = globSync(
  '{{lib,functions,admin,local,infra,cli,page,tools}/**,client,client/{form,http,import,items,public,react,sheet,state,storage,texts,undo,undo/plan}}/*.{ts,tsx,mjs}',
).map((file) => {
  const text = readFileSync(file, 'utf8');
  const [row = 'no row'] = Object.keys(allowed)
    .filter((folder) => file.startsWith(folder))
    .sort((a, b) => b.length - a.length);
  const imported = [...text.matchAll(importing)].map(([, name = '', lazy = name]) => lazy);
  const paths = imported.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
  return { file, row, paths, exported: [...text.matchAll(exporting)].map(([, name = '']) => name) };
});
const allowedIn = (row: string) => allowed[row]?.split(' ') ?? [];

it.each(sources)('$file imports what its layer may', ({ row, paths }) => {
  const may = [row, ...allowedIn(row)];
  expect(paths.filter((path) => !may.some((beginning) => path.startsWith(beginning)))).toEqual([]);
});

it.each(Object.keys(allowed))('%s imports all that it may', (row) => {
  const paths = sources.filter((source) => source.row === row).flatMap((source) => source.paths);
  const unused = allowedIn(row).filter((beginning) => !paths.some((path) => path.startsWith(beginning)));
  expect([paths.length > 0, unused]).toEqual([true, []]);
});

/** The layers of the table, each with those that it may import and reaches through no other. */
function layersDrawn(): string {
  const nodeOf = (layer: string) => layer.replace(/^lib.(.*)/, '$1["$&"]');
  const layerOf = (path: string) => /^(lib\/\w+|\w+)(?=\/)/.exec(path)?.[0];
  const layers = [...new Set(Object.keys(allowed).map(layerOf))].filter((layer) => layer !== undefined);
  const may = new Map(layers.map((layer) => [layer, new Set<string>()]));
  for (const [row, list] of Object.entries(allowed))
    for (const path of list.split(' '))
      for (const layer of layers)
        if (`${layer}/`.startsWith(path) || layerOf(path) === layer) may.get(layerOf(row) ?? '')?.add(layer);
  const below = (layer: string): string[] => [...(may.get(layer) ?? [])].filter((other) => other !== layer);
  const isReached = (from: string, to: string): boolean =>
    below(from).some((next) => next === to || isReached(next, to));
  const arrows = layers.flatMap((layer) =>
    below(layer)
      .filter((other) => !below(layer).some((next) => isReached(next, other)))
      .map((other) => `  ${nodeOf(layer)} --> ${nodeOf(other)}\n`),
  );
  return `flowchart LR\n${arrows.join('')}`;
}

it('the page for contributors draws these layers', () => {
  expect(readFileSync('docs/contributing.md', 'utf8')).toContain(layersDrawn());
});

/** What each file or folder imports of those beside it. What is within a folder counts as the folder. */
const beside = new Map<string, Set<string>>();
for (const { file, paths } of sources)
  for (const path of paths.filter((name) => existsSync(name))) {
    const [from, to] = [file.split('/'), path.split('/')];
    const end = from.findIndex((name, index) => name !== to[index]) + 1;
    const [importer, imported] = [from, to].map((names) => names.slice(0, end).join('/')) as [string, string];
    beside.set(importer, (beside.get(importer) ?? new Set()).add(imported));
  }

/** All that a file or folder imports of those beside it, directly or not. */
function reached(from: string, found = new Set<string>()): ReadonlySet<string> {
  for (const next of beside.get(from) ?? []) if (!found.has(next)) reached(next, found.add(next));
  return found;
}

it.each([
  ['lib', ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@middy/core', 'aws-lambda', 'zod']],
  ['infra', ['aws-cdk-lib', 'constructs']],
])('%s is built with %j', (folder, packages) => {
  const imported = sources.filter(({ file }) => file.startsWith(`${folder}/`)).flatMap(({ paths }) => paths);
  expect(packages.filter((name) => !imported.some((path) => `${path}/`.startsWith(`${name}/`)))).toEqual([]);
});

it('no folder imports in a circle', () => {
  expect([...beside.keys()].filter((name) => reached(name).has(name))).toEqual([]);
});

it('an exported name means one thing, except the handler of each function and what frontends install', () => {
  const own = sources.filter(({ row }) => !/^(client|page)\//.test(row));
  const names = own.flatMap(({ exported }) => exported).filter((name) => name !== 'handler');
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('each file imports a module in one statement', () => {
  const twice = globSync('{lib,functions,admin,local,infra,cli,tools,test}/**/*.{ts,mjs}').flatMap((file) => {
    const names = [...readFileSync(file, 'utf8').matchAll(/^import [^;'"]*from '([^']+)';/gm)].map(([, name]) => name);
    return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${file}: ${name}`);
  });
  expect(twice).toEqual([]);
});

it('the tests can neither load nor start what only checks and deployments install', async () => {
  const resolve = "import.meta.resolve('typescript')";
  const started = spawnSync(process.execPath, ['--input-type=module', '--eval', resolve], { encoding: 'utf8' });
  expect(started.stderr).toContain('typescript');
  await expect(import('typescript')).rejects.toThrow('typescript');
});

it('an undo brings a browser no more than rules', async () => {
  const options = { bundle: true, write: false, metafile: true } as const;
  const { metafile } = await build({ entryPoints: ['client/undo/plan/runUndo.ts'], ...options });
  const rules = ['account', 'customName', 'decimal', 'fields', 'limits', 'lists'].map((name) => `lib/item/${name}.ts`);
  expect(
    Object.keys(metafile.inputs)
      .filter((file) => !file.startsWith('client/'))
      .sort(),
  ).toEqual(rules);
});
