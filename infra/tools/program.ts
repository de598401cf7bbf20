import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Runs another program on this one's terminal.
 * @returns its exit code; 1 when a signal ended it
 */
export async function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Ctrl-C is for the program, which may have to clean up; this one ends when it has.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const [code] = await once(spawn(command, args, { stdio: 'inherit', env }), 'exit');
  process.off('SIGINT', ignore);
  return code ?? 1;
}

/** Whether the PATH leads to a program. */
export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
