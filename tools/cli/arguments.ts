import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import type { EnvironmentName } from '../../infra/environments.ts';
import { environmentName, SettingsError } from '../../infra/environments.ts';
import { CommandError } from './commandError.ts';

/** @param sentence what is wrong with the arguments, without a full stop */
export const usageError = (sentence: string): CommandError =>
  new CommandError(`${sentence}; --help shows the options.`, 2);

/**
 * Reads a command's options.
 * @param options in the format of Node's `parseArgs`
 * @throws CommandError if an option is unknown, has no value, or is given twice
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    const { values, tokens } = parseArgs({ args: [...args], options, tokens: true });
    const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    refuseRepeated(given, options);
    return values;
  } catch (error) {
    throw isParseError(error) ? usageError(sentenceOf(error)) : error;
  }
}

const isParseError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

/** Node's messages continue with advice that does not apply to these commands, so use only the first sentence. */
function sentenceOf({ message }: Error): string {
  const option = /^Option '(--[^']+)' argument is ambiguous/.exec(message)?.[1];
  if (option !== undefined) return `Option '${option}' takes a value that starts with a hyphen only as '${option}=-1'`;
  return String(message.split(/\.\s/)[0]);
}

/** Node uses the last value. Fail instead of guessing which one was meant. */
function refuseRepeated(names: readonly string[], options: ParseArgsOptionsConfig): void {
  const repeated = names.find((name, index) => options[name]?.multiple !== true && names.indexOf(name) !== index);
  if (repeated !== undefined) throw usageError(`Option '--${repeated}' is given more than once`);
}

/**
 * @param name the option's name
 * @param given its value on the command line, if any
 * @throws CommandError unless it is a whole number from `least` to `most`
 */
export function wholeNumber(
  name: string,
  given: string | undefined,
  { initial, least = 1, most = 10 ** 9 }: { initial: number; least?: number; most?: number },
): number {
  const number = Number(given ?? initial);
  if (/^\d+$/.test(given ?? '1') && number >= least && number <= most) return number;
  throw usageError(`Option '--${name}' must be a whole number from ${least} to ${most}`);
}

/**
 * @param name the environment's name on the command line
 * @throws CommandError if there is no such environment
 */
export function parseEnvironment(name: string): EnvironmentName {
  try {
    return environmentName(name);
  } catch (error) {
    throw error instanceof SettingsError ? new CommandError(error.message, 2) : error;
  }
}
