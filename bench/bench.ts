import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { checkOut } from '../cli/checkOut.ts';
import { setLocalCredentials } from '../cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../cli/options.ts';
import { createProgram, runCommand } from '../cli/runCommand.ts';
import { showProgress } from '../cli/showProgress.ts';
import { compare } from './compare.ts';
import { measureImport } from './imports.ts';
import { measure } from './measure.ts';
import { deployedFunctions, type Functions, project } from './programs.ts';
import { writeReport } from './report.ts';
import { stubAnswers } from './stubAnswers.ts';
import { reportOf } from './tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** The functions of a commit, or of the files in this folder. */
function functionsOf(commit: string | undefined, name: string): Functions {
  if (commit === undefined) return deployedFunctions(project, join(folder, name));
  const { remove } = checkOut(project, commit, join(folder, `${name}-commit`));
  process.prependOnceListener('exit', remove);
  return deployedFunctions(join(folder, `${name}-commit`), join(folder, name));
}

/** What all processes need. */
async function prepare() {
  setLocalCredentials();
  const setting = { child: join(folder, 'child.js'), answers: join(folder, 'answers.json') };
  const entryPoints = [join(project, 'bench/child.ts')];
  await build({ entryPoints, outfile: setting.child, bundle: true, platform: 'node', target: 'node24' });
  writeFileSync(setting.answers, JSON.stringify(stubAnswers));
  return setting;
}

/** Shows what is being measured until the work is done. */
async function shown<Result>(work: (progress: (text: string) => void) => Promise<Result>): Promise<Result> {
  let state = 'bundling';
  const end = showProgress(() => state);
  const progress = (text: string) => {
    state = text;
  };
  return await work(progress).finally(end);
}

async function compareCommits(base: string, head: string | undefined): Promise<void> {
  const [before, after] = [functionsOf(base, 'base'), functionsOf(head, 'head')];
  const setting = await prepare();
  console.table(await shown((progress) => compare(setting, before, after, progress)));
}

async function measureAll(writes: boolean): Promise<void> {
  const setting = await prepare();
  const functions = functionsOf(undefined, 'functions');
  const report = reportOf(await shown((progress) => measure(setting, folder, functions, progress)));
  for (const { title, rows } of report.tables) {
    console.log(`\n${title}`);
    console.table(rows);
  }
  if (writes) writeReport(report);
}

const program = createProgram(
  'npm run bench --',
  'Measures the deployed bundles beside the SDK alone and other libraries, each figure in nine runs that alternate ' +
    'between those that are compared.',
);
program
  .option('--write', 'also write the results into the pages')
  .action(({ write = false }) => measureAll(write === true));
program
  .command('compare')
  .description('Measures two commits.')
  .argument('<base>')
  .argument('[head]', 'the files in this folder unless given')
  .action(compareCommits);
program
  .command('import')
  .description('Measures an import of items beside bare writes, and its memory.')
  .addOption(valueOption('--rows <number>', 'how many items', wholeNumber(100, 10_000_000)).default(100_000))
  .action(async ({ rows }) => {
    setLocalCredentials();
    console.table(await shown((progress) => measureImport(rows, progress)));
  });
await runCommand(program);
