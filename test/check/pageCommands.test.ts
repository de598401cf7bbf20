import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import client from '../../client/package.json' with { type: 'json' };
import { blocks, page, pagePaths } from '../support/programs/pages.ts';
import { root, startProgram } from '../support/programs/program.ts';

/** The lines that are not run here, by how a line begins or what it calls, and why. */
const elsewhere: readonly (readonly [line: RegExp, reason: string])[] = [
  [/\baws /, 'the nightly program aws-commands runs it against a stand-in, for every pull request too'],
  [/^npm run (--silent )?(admin|cdk) -- /, 'test/docs/commands.test.ts runs it until it lacks credentials'],
  [/^npx cdk /, 'it needs an AWS account'],
  [/^(export|METHOD|git|jq|echo|done)\b/, 'it belongs to commands that need an AWS account'],
  [/^(curl|TOKEN|URL)\b/, 'test/docs/examples.test.ts runs it'],
  [/^npm start -- /, 'test/local/start.test.ts starts it with an identity provider'],
  [/^npm test$/, 'it runs beside this check'],
  [/^npm ci$/, '`npm run check` has just done it'],
  [/^(npm run )?sam /, 'it needs Docker'],
  [/^npm run bench/, 'it takes minutes: test/docs and test/bench hold its parts'],
];
const isElsewhere = (line: string): boolean => elsewhere.some(([start]) => start.test(line));

/** The lines of the pages, without their comments, each with where it is to be run. */
const lines = pagePaths
  .flatMap((path) => blocks(page(path).replaceAll(/^ +```/gm, '```'), 'sh'))
  .flatMap((block) =>
    block
      .replaceAll('\\\n', ' ')
      // A quoted body goes over several lines.
      .replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' '))
      .split('\n'),
  )
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [command = '', comment = ''] = line.trim().split(/ {2,}# ?/);
    return { command, isInFrontend: comment.startsWith('in the frontend') };
  });
const run = lines.filter(({ command }) => !isElsewhere(command));

/** In the checkout's own file system, which hard links do not leave. */
mkdirSync(join(root, '.local'), { recursive: true });
const folder = mkdtempSync(join(root, '.local/clone-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [clone, frontend] = [join(folder, 'catalog'), join(folder, 'frontend')];

beforeAll(() => {
  // With what is not committed yet, because that is what is checked.
  const copying = 'git clone --quiet "$0" "$1" && git -C "$0" diff HEAD --binary | git -C "$1" apply --allow-empty';
  execFileSync('sh', ['-c', copying, root, clone]);
  // Hard links, as an installation in the clone must not touch this checkout's packages.
  for (const modules of ['node_modules', 'client/node_modules'])
    execFileSync('cp', ['-RPl', join(root, modules), join(clone, modules)]);
  mkdirSync(frontend);
  writeFileSync(join(frontend, 'package.json'), '{ "private": true }');
});

it('has a reason only for commands that a page has', () => {
  const unused = elsewhere.filter(([start]) => !lines.some(({ command }) => start.test(command)));
  expect(unused).toEqual([]);
  expect(run.map(({ command }) => command)).toEqual(
    expect.arrayContaining(['npm pack --workspace client --pack-destination ..']),
  );
});

it.each(run)('$command does in a fresh clone what its page says', async ({ command, isInFrontend }) => {
  // Another service may have the port that is usual.
  const env = { ...process.env, NODE_OPTIONS: '', npm_config_prefer_offline: 'true', PORT: '0' };
  const { child, ended, output, said } = startProgram('sh', ['-c', `exec ${command}`], {
    cwd: isInFrontend ? frontend : clone,
    env,
  });
  if (command === 'npm start') {
    await said('is running at');
    child.kill('SIGTERM');
  }
  expect([await ended, output.stderr.match(/error.*/gi)]).toEqual([0, null]);
});

it('the package that was installed names the commit that it was made from', () => {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: clone, encoding: 'utf8' }).trim();
  const named = readFileSync(join(frontend, 'node_modules', client.name, 'dist/commit.txt'), 'utf8').trim();
  expect([head, `${head}-dirty`]).toContain(named);
});
