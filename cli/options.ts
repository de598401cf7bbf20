import { Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { environmentNames } from '../infra/environments.ts';
import { CommandError } from './commandError.ts';

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
