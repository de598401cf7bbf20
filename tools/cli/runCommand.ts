import { SettingsError } from '../../infra/environments.ts';
import { CommandError } from './commandError.ts';
import { printError } from './print.ts';

/**
 * Runs a command as this process's main program. An expected failure prints only its message. Anything else is a defect
 * and prints its stack trace.
 * @param command takes the program's arguments and returns its exit code
 */
export async function runCommand(command: (args: readonly string[]) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command(process.argv.slice(2));
  } catch (error) {
    const isExpected = error instanceof CommandError || error instanceof SettingsError;
    printError(isExpected ? error.message : error);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}
