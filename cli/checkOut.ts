import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from './commandError.ts';

/**
 * Checks out another commit of the project, with its dependencies, into a folder that must not exist yet.
 * @returns `remove`, which deletes the folder
 * @throws CommandError if there is no such commit
 */
export function checkOut(project: string, commit: string, folder: string): { remove(): void } {
  if (run('git', ['worktree', 'add', '--detach', folder, commit], project) !== 0)
    throw new CommandError(`The commit ${commit} cannot be checked out.`);
  const lockFile = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lockFile(project) === lockFile(folder) && existsSync(join(project, 'node_modules')))
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  else if (run('npm', ['ci', '--ignore-scripts'], folder) !== 0)
    throw new CommandError(`The dependencies of the commit ${commit} cannot be installed.`);
  return { remove: () => void run('git', ['worktree', 'remove', '--force', folder], project) };
}

const run = (command: string, args: readonly string[], cwd: string): number | null =>
  spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status;
