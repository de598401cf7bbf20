import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from './print.ts';

/** Makes a folder that is removed when this process ends, also by Ctrl-C. @param name a part of the folder's name */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `catalog-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  return folder;
}

/**
 * Checks out another commit of the project, with its dependencies, until this process ends.
 * @returns the folder
 * @throws CommandError if there is no such commit
 */
export function checkOut(project: string, commit: string): string {
  const folder = temporaryFolder('commit');
  if (run('git', ['worktree', 'add', '--detach', folder, commit], project) !== 0)
    throw new CommandError(`The commit ${commit} cannot be checked out.`);
  process.prependOnceListener('exit', () => run('git', ['worktree', 'remove', '--force', folder], project));
  const lockFile = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lockFile(project) === lockFile(folder) && existsSync(join(project, 'node_modules')))
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  else if (run('npm', ['ci', '--ignore-scripts'], folder) !== 0)
    throw new CommandError(`The dependencies of the commit ${commit} cannot be installed.`);
  return folder;
}

const run = (command: string, args: readonly string[], cwd: string): number | null =>
  spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status;
