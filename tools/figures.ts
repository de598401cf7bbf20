import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { CommandError } from '../cli/commandError.ts';
import { print } from '../cli/print.ts';
import { createProgram, runCommand } from '../cli/runCommand.ts';

const description = `Prints how much there is to read at one or more commits.

Lines are those of sources and pages; data, pictures and generated types do not count. What serves no requests counts as "tools", wherever it is. Imports are all import and export-from statements of lib and functions, those of types included. "PUT" are the files of lib and functions that functions/updateItem.ts imports at run time, directly or not (types excluded); "PUT, bundled" are those of them with code in its bundle.`;

const root = fileURLToPath(new URL('../', import.meta.url));

/** A file belongs to the first part that matches. */
const parts: Readonly<Record<string, RegExp>> = {
  bench: /^(test\/)?bench\//,
  tools: /^(tools|cli|local|admin|lib\/(operator|smoke)|infra\/(cli|local|tools))\//,
  lib: /^lib\//,
  portable: /^portable\//,
  client: /^client\//,
  functions: /^functions\//,
  infra: /^infra\//,
  test: /^test\//,
  'docs and README': /^(docs\/.*|README)\.md$/,
};
const isSource = (file: string): boolean => /\.(ts|mjs|js|py|html|css|ya?ml|md)$/.test(file) && !file.endsWith('.d.ts');
const importing = /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*['"]/gm;

const linesOf = (text: string): number => text.split('\n').length - 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Extracts the files of a commit into a folder. */
function extract(commit: string, folder: string): void {
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  if (archive.status !== 0) throw new CommandError(`There is no commit ${commit}.`, 2);
  spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
}

/** The files on the way of an update, and those of them with code in the bundle. */
async function updatePath(folder: string): Promise<{ imported: string[]; bundled: string[] }> {
  const entry = 'functions/updateItem.ts';
  if (!existsSync(join(folder, entry))) return { imported: [], bundled: [] };
  const { metafile } = await build({
    ...{ absWorkingDir: folder, entryPoints: [entry], bundle: true, packages: 'external', platform: 'node' },
    ...{ format: 'esm', write: false, outdir: 'out', metafile: true, logLevel: 'silent' },
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {});
  return {
    imported: Object.keys(metafile.inputs),
    bundled: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
  };
}

async function figuresOf(folder: string): Promise<Record<string, number>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isSource);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const partOf = (file: string) => Object.keys(parts).find((part) => parts[part]?.test(file));
  const lines = (some: readonly string[]): number => sum(some.map((file) => linesOf(read(file))));
  const { imported, bundled } = await updatePath(folder);
  const { scripts = {} } = JSON.parse(read('package.json')) as { scripts?: object };
  return {
    ...Object.fromEntries(
      Object.keys(parts).map((part) => [`lines: ${part}`, lines(files.filter((file) => partOf(file) === part))]),
    ),
    'npm scripts': Object.keys(scripts).length,
    imports: sum(
      files.filter((file) => /^(lib|functions)\//.test(file)).map((file) => read(file).match(importing)?.length ?? 0),
    ),
    'PUT: files': imported.length,
    'PUT: lines': lines(imported),
    'PUT, bundled: files': bundled.length,
    'PUT, bundled: lines': lines(bundled),
  };
}

const program = createProgram('npm run figures --', description);
program.argument('<commits...>').action(async (commits) => {
  const columns: Record<string, number>[] = [];
  for (const commit of commits) {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-figures-'));
    try {
      extract(commit, folder);
      columns.push(await figuresOf(folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const row = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
  print([row(['', ...commits]), row(['---', ...commits.map(() => '---:')])].join('\n'));
  for (const name of Object.keys(columns[0] ?? {})) print(row([name, ...columns.map((figures) => figures[name])]));
});
await runCommand(program);
