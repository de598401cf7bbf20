import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
