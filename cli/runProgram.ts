import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs another program in this terminal.
 * @returns its exit code, or 1 if a signal ended it
 */
export async function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Ctrl-C also reaches the program, which may need to clean up. Wait until it has exited.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const [code] = await once(spawn(command, args, { stdio: 'inherit', env }), 'exit');
  process.off('SIGINT', ignore);
  return code ?? 1;
}
