import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { checkOut } from '../tools/cdk/changes/commit.ts';
import { readOptions, usageError } from '../tools/cli/arguments.ts';
import { setLocalCredentials } from '../tools/cli/localCredentials.ts';
import { runCommand } from '../tools/cli/runCommand.ts';
import { showProgress } from '../tools/cli/showProgress.ts';
import { compare } from './compare.ts';
import { measure } from './measure.ts';
import type { Functions } from './programs.ts';
import { deployedFunctions, project } from './programs.ts';
import { writeReport } from './report.ts';
import { stubAnswers } from './stubAnswers.ts';
import { reportOf } from './tables.ts';

const help = `Measures the deployed bundles, each figure in nine runs that alternate between those that are compared.

  npm run bench                          beside the SDK alone and other libraries
  npm run bench -- --write               the same, and writes the results into the pages
  npm run bench -- compare BASE [HEAD]   two commits; HEAD defaults to the files in this folder`;

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
  const { end } = showProgress(() => state);
  const progress = (text: string) => {
    state = text;
  };
  return await work(progress).finally(end);
}

async function compareCommits([base, head, ...rest]: readonly string[]): Promise<void> {
  if (base === undefined || base.startsWith('-') || rest.length > 0) throw usageError('Name one commit, or two');
  const [before, after] = [functionsOf(base, 'base'), functionsOf(head, 'head')];
  const setting = await prepare();
  console.table(await shown((progress) => compare(setting, before, after, progress)));
}

await runCommand(async (args) => {
  if (args[0] === 'compare') {
    await compareCommits(args.slice(1));
    return 0;
  }
  const options = { write: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { write = false, help: helpWanted = false } = readOptions(args, options);
  if (helpWanted) {
    console.log(help);
    return 0;
  }
  const setting = await prepare();
  const functions = functionsOf(undefined, 'functions');
  const report = reportOf(await shown((progress) => measure(setting, folder, functions, progress)));
  for (const { title, rows } of report.tables) {
    console.log(`\n${title}`);
    console.table(rows);
  }
  if (write) writeReport(report);
  return 0;
});
