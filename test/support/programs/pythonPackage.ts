import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../../../cli/print.ts';
import { runProgram } from '../../../cli/runProgram.ts';

/**
 * Installs a package of PyPI in a folder of its own, so that neither the project nor the machine's Python changes.
 * @returns the folder of its programs
 */
export async function pythonPackage(name: string, version: string): Promise<string> {
  const folder = join(tmpdir(), `catalog-${name}-${version}`);
  await succeed('python3', ['-m', 'venv', folder]);
  await succeed(join(folder, 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`]);
  return join(folder, 'bin');
}

async function succeed(program: string, args: readonly string[]): Promise<void> {
  if ((await runProgram(program, args, process.env)) !== 0)
    throw new CommandError(`${program} ${args.join(' ')} failed.`);
}
