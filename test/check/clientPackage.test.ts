import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import client from '../../client/package.json' with { type: 'json' };
import { blocks, page } from '../support/programs/pages.ts';
import { root, startProgram, temporaryFolder } from '../support/programs/program.ts';

const frontend = page('docs/frontend.md');
/** The programs of the page, beside the example. */
const programs = [
  ...blocks(frontend, 'ts'),
  ...blocks(frontend, 'tsx'),
  ...blocks(frontend, 'vue').map((component) => /<script .*?>(.*)<\/script>/s.exec(component)?.[1] ?? ''),
];

const compilers = { 5: 'client/node_modules/typescript', 7: 'node_modules/typescript' };
const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'];
const browser = [
  '--lib',
  'es2022,dom,dom.iterable',
  '--target',
  'es2022',
  '--noEmit',
  '--allowImportingTsExtensions',
  '--jsx',
  'react-jsx',
];
const resolutions = [
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
];

async function run(cwd: string, command: string, args: string[]): Promise<void> {
  const { ended, output } = startProgram(command, args, { cwd, env: process.env });
  expect([await ended, output.stdout]).toEqual([0, expect.not.stringContaining('error')]);
}

test('npm pack packs what the package exports, which compiles with the examples, as strictly as can be', async () => {
  const folder = temporaryFolder();
  await run(root, 'npm', ['pack', '--workspace', 'client', '--pack-destination', folder]);
  await run(folder, 'tar', ['-xf', `${client.name}-${client.version}.tgz`]);
  const packed = readdirSync(join(folder, 'package'), { recursive: true, encoding: 'utf8' });
  const exported = Object.values(client.exports).map((file) => file.replace('./', ''));
  expect(packed).toEqual(expect.arrayContaining(exported.flatMap((file) => [file, file.replace('.js', '.d.ts')])));
  expect(
    packed.filter(
      (file) =>
        !/^(package\.json|LICENSE|dist\/commit\.txt|(README|CHANGELOG)\.md|dist(\/(client|lib)(\/\w+)*)?(\/[\w-]+\.(js|d\.ts))?)$/.test(
          file,
        ),
    ),
  ).toEqual([]);
  expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md']));

  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(folder, 'package'), join(folder, 'node_modules', client.name));
  for (const name of ['openapi-fetch', '@picocss', 'react', 'react-dom', '@types', 'csstype', 'vue'])
    symlinkSync(`${root}node_modules/${name}`, join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // Its configuration is for the package's sources.
  cpSync(`${root}page`, folder, { recursive: true, filter: (file) => !file.endsWith('tsconfig.json') });
  for (const [name, program] of programs.entries()) writeFileSync(join(folder, `${name}.tsx`), program);
  expect(programs.length).toBeGreaterThan(9);
  for (const [version, path] of Object.entries(compilers)) {
    const { version: found } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    expect(found).toMatch(new RegExp(`^${version}\\.`));
    for (const resolution of resolutions) {
      const files = ['app.tsx', ...programs.map((_, name) => `${name}.tsx`)];
      await run(folder, process.execPath, [
        join(root, path, 'bin/tsc'),
        ...strict,
        ...browser,
        ...resolution,
        ...files,
      ]);
    }
  }
  // The example as the beginning of a project: only the addresses of its script and its style are others.
  const start = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll(/\/app\/app\.(js|css)/g, './app.$1');
  writeFileSync(join(folder, 'index.html'), start.replace('./app.js', './app.tsx'));
  await run(folder, process.execPath, [`${root}node_modules/vite/bin/vite.js`, 'build', '--logLevel', 'warn']);
  const built = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
  expect(built.map((file) => file.replace(/-[\w-]{8}\./, '.')).sort()).toEqual([
    'assets',
    'assets/3-write.js', // loaded with a sheet
    'assets/index.css',
    'assets/index.js',
    'assets/sheetWorker.js',
    'assets/workbookWorker.js',
    'index.html',
  ]);
});
