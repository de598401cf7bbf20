import { Command, CommanderError, type CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import { SettingsError } from '../infra/environments.ts';
import { CommandError } from './commandError.ts';
import { usageError } from './options.ts';
import { printError } from './print.ts';

/** Creates a program for {@link runCommand}. Its subcommands fail in the same way. @param name what its users type */
export const createProgram = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .configureOutput({ outputError: () => undefined })
    .exitOverride((error) => {
      throw isHelp(error) ? error : usageError(sentenceOf(error));
    });

const optionDescription: Help['optionDescription'] = (option) =>
  new Help().optionDescription(option) + (option.mandatory ? ' (required)' : '');

/** Whether the help was shown, on request or because a subcommand was missing. */
const isHelp = ({ code }: CommanderError): boolean => code.startsWith('commander.help');

/** The message is such as "error: unknown option '--accout'\n(Did you mean --account?)". */
const sentenceOf = ({ message }: CommanderError): string =>
  message
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .replace('\n', ' ')
    .replace(/\.$/, '');

/** Runs a program with the arguments of this process. Prints the message of an expected failure, and else the stack. */
export async function runCommand(program: CommandUnknownOpts): Promise<void> {
  // Once, also in a process that runs several commands.
  if (process.stdout.listenerCount('error') === 0)
    process.stdout.once('error', failWithoutOutput).on('error', () => undefined);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    printError(isExpected(error) ? error.message : error);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}

/** The system's refusals, such as of a file that cannot be written, name what was refused. */
const isExpected = (error: unknown): error is Error =>
  error instanceof CommandError || error instanceof SettingsError || (error instanceof Error && 'syscall' in error);

/**
 * Node says nothing if `console.log` cannot print, for example to a full disk. A program that reads only the first lines
 * may close its end.
 */
function failWithoutOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  printError(`The output cannot be written: ${message}. The command does its work all the same.`);
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
}
