import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { runProgram } from './runProgram.ts';

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
  const command = file.endsWith('.ts') ? [process.execPath, file] : [file];
  const [executable = '', ...before] = [...command, ...args];
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
