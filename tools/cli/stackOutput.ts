import { type EnvironmentName, settingsOf, stackName } from '../../infra/environments.ts';
import { CommandError } from './commandError.ts';
import { findStack } from './findStack.ts';

/**
 * Reads an output of an environment's stack from AWS.
 * @throws CommandError if there is no such stack or output, it is in another account than the environment's, or there
 * are no credentials
 * @throws SettingsError if the environment's settings are invalid
 */
export async function stackOutput(environment: EnvironmentName, output: string): Promise<string> {
  const settings = settingsOf(environment);
  const where = `${stackName(environment)} in ${settings.region}`;
  const stack = await findStack(environment, settings);
  if (stack === undefined) throw new CommandError(`There is no stack ${where}, or it is in another AWS account.`);
  const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
  if (value === undefined) throw new CommandError(`The stack ${where} has no output ${output}.`);
  return value;
}
