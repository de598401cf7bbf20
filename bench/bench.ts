import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { checkOut, temporaryFolder } from '../cli/checkOut.ts';
import { setLocalCredentials } from '../cli/localCredentials.ts';
import { CommandError } from '../cli/print.ts';
import { createProgram, runCommand } from '../cli/program.ts';
import { showProgress } from '../cli/showProgress.ts';
import { compare } from './compare.ts';
import { type Contender, deployed, exporting, usual } from './contender.ts';
import { bundled, deployedFunctions, project } from './programs.ts';
import { stubAnswers } from './stubAnswers.ts';

const folder = temporaryFolder('bench');

/** @param name as on the command line */
async function contenderOf(name: string): Promise<Contender> {
  if (name === 'sdk') return exporting(await bundled('floor.ts', folder), ['getCatalog', 'updateKeyed']);
  if (name === 'usual') {
    installPeers();
    return usual(await bundled('usualStack.js', folder, false));
  }
  if (name === '.') return deployed(deployedFunctions(project, join(folder, 'files')));
  return deployed(deployedFunctions(checkOut(project, name), join(folder, `commit-${name.replace(/\W/g, '-')}`)));
}

/** They are no dependencies of the project, because nothing but the bench needs them. */
function installPeers(): void {
  const options = ['--prefix', join(project, 'bench'), '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['ci', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new CommandError('The libraries in bench/package.json could not be installed.');
}

async function run(names: readonly [string, string]): Promise<void> {
  setLocalCredentials();
  const setting = { child: join(folder, 'child.js'), answers: join(folder, 'answers.json') };
  const entryPoints = [join(project, 'bench/child.ts')];
  await build({ entryPoints, outfile: setting.child, bundle: true, platform: 'node', target: 'node24' });
  writeFileSync(setting.answers, JSON.stringify(stubAnswers));
  let state = 'bundling';
  const progress = (text: string) => {
    state = text;
  };
  const measure = async () => compare(setting, [await contenderOf(names[0]), await contenderOf(names[1])], progress);
  console.table(await showProgress(() => state, measure));
}

const which = 'a commit, "." for the files of this folder, "sdk" for the SDK alone, or "usual" for the usual stack';
const program = createProgram(
  'npm run bench --',
  'Measures two implementations beside each other, each figure in nine runs that alternate between them.',
);
program
  .argument('[first]', which, 'sdk')
  .argument('[second]', 'what is compared with it', '.')
  .action((first, second) => run([first, second]));
await runCommand(program);
