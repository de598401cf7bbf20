import { spawnSync } from 'node:child_process';
import { CommandError, print } from '../cli/print.ts';
import { createProgram, runCommand } from '../cli/program.ts';

/** Their sum is the source. */
const rooms = ['functions', 'lib', 'client', 'page', 'admin', 'cli', 'local', 'infra', 'tools'];
const pages = ['docs/*.md', 'README.md'];
const sources = ['*.ts', '*.tsx', '*.mjs', '*.js', '*.py', '*.html', '*.css', '*.yml', '*.yaml', '*.md', ':!*.d.ts'];

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  // 1 only means that nothing was found.
  if (status !== 0 && status !== 1) throw new CommandError(stderr.trim(), 2);
  return stdout;
}

function figuresOf(commit: string): Record<string, number> {
  const files = git('grep', '--count', '', commit, '--', ...sources)
    .split('\n')
    .map((line) => line.slice(commit.length + 1).split(':'));
  const linesIn = (...folders: readonly string[]): number =>
    files
      .filter(([file = '']) => folders.includes(file.split('/')[0] ?? ''))
      .reduce((sum, [, lines]) => sum + Number(lines), 0);
  const words = git('grep', '-h', '', commit, '--', ...pages).split(/\s+/);
  return {
    source: linesIn(...rooms),
    ...Object.fromEntries([...rooms, 'bench', 'test'].map((room) => [`- ${room}`, linesIn(room)])),
    'words of docs and README': words.length - 1,
  };
}

const program = createProgram(
  'npm run figures --',
  'Prints how much there is to read at one or more commits: the lines of sources, without generated types, and the words of pages.',
);
program.argument('<commits...>').action((commits) => {
  const columns = commits.map(figuresOf);
  const row = (...cells: readonly unknown[]) => print(`| ${cells.join(' | ')} |`);
  row('lines', ...commits);
  row('---', ...commits.map(() => '---:'));
  for (const name of Object.keys(columns[0] ?? {})) row(name, ...columns.map((figures) => figures[name]));
});
await runCommand(program);
