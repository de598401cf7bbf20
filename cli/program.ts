import { Command, CommanderError, type CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { environmentNames, SettingsError } from '../infra/environments.ts';
import { CommandError, printError } from './print.ts';

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

/** @param sentence what is wrong with the arguments, without a full stop */
export const usageError = (sentence: string): CommandError =>
  new CommandError(`${sentence}; --help shows the options.`, 2);

/**
 * An option with a value, which may be given once. Its errors do not repeat the value, because it may be a secret.
 * @param flags such as `--account <id>`
 * @param schema checks and converts the text; its errors continue "Option '--account' "
 */
export function valueOption<const Flags extends string, Value>(
  flags: Flags,
  description: string,
  schema: z.core.$ZodType<Value, string>,
) {
  const option = new Option(flags, description);
  let isGiven = false;
  return option.argParser((text: string): Value => {
    // Fail instead of guessing which one was meant.
    if (isGiven) throw usageError(`Option '${option.long}' is given more than once`);
    isGiven = true;
    const parsed = z.safeParse(schema, text);
    if (parsed.success) return parsed.data;
    throw usageError(`Option '${option.long}' ${parsed.error.issues[0]?.message}`);
  });
}

/** The text of a whole number within bounds. */
export function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  const digits = z.string().regex(/^\d{1,16}$/, rule);
  return digits.transform(Number).refine((value) => value >= least && value <= most, rule);
}

/** The option of the environment that a command works on. */
export const environmentOption = (description: string) =>
  valueOption(
    '--env <environment>',
    `${description}: ${environmentNames.join(', ')}`,
    z.enum(environmentNames, `must be one of ${environmentNames.join(', ')}`),
  );
