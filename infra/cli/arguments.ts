import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import type { EnvironmentName } from '../environments.ts';
import { environmentName } from '../environments.ts';
import { CommandError } from './runCommand.ts';

/** @param sentence what is wrong with the arguments, without its full stop */
export const usageError = (sentence: string): CommandError =>
  new CommandError(`${sentence}; --help shows the options.`, 2);

/**
 * Reads a tool's options.
 * @param options as Node's `parseArgs` takes them
 * @throws ToolFailure when one is unknown, lacks its value, or is given twice
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    const { values, tokens } = parseArgs({ args: [...args], options, tokens: true });
    refuseRepeated(
      tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])),
      options,
    );
    return values;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { message } = error as Error;
    const option = /^Option '(--[^']+)' argument is ambiguous/.exec(message)?.[1];
    if (option !== undefined)
      throw usageError(`Option '${option}' takes a value with a hyphen first only as '${option}=-1'`);
    // Node's message goes on with advice that does not fit.
    throw usageError(String(message.split(/\.\s/)[0]));
  }
}

/** Which of two values was meant, nobody can know. */
function refuseRepeated(names: readonly string[], options: ParseArgsOptionsConfig): void {
  const repeated = names.find((name, index) => options[name]?.multiple !== true && names.indexOf(name) !== index);
  if (repeated !== undefined) throw usageError(`Option '--${repeated}' is given more than once`);
}

/**
 * @param name of the option
 * @param given what a person gave for it, if anything
 * @throws ToolFailure when it is no whole number from `least` to `most`
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
 * @param name what a person gave as the environment's name
 * @throws ToolFailure when there is no such environment
 */
export function givenEnvironment(name: string): EnvironmentName {
  try {
    return environmentName(name);
  } catch (error) {
    throw new CommandError((error as Error).message, 2);
  }
}
