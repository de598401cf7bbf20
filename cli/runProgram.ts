import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Runs another program in this terminal. @returns its exit code, or 1 if a signal ended it */
export async function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Ctrl-C also reaches the program, which may need to clean up. Wait until it has exited.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const [code] = await once(spawn(command, args, { stdio: 'inherit', env }), 'exit');
  process.off('SIGINT', ignore);
  return code ?? 1;
}

/**
 * Adds a subcommand that runs another program, and passes it all arguments, also --help.
 * @param command a TypeScript file, or the program's name, and its first arguments
 */
export function addProgram(
  program: CommandUnknownOpts,
  name: string,
  description: string,
  [file, ...args]: readonly [string, ...string[]],
): void {
  const [executable = '', ...before] = file.endsWith('.ts') ? [process.execPath, file, ...args] : [file, ...args];
  program
    .command(name)
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .action(async (given) => {
      process.exitCode = await runProgram(executable, [...before, ...given], process.env);
    });
}
