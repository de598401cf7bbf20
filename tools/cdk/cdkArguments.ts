import type { EnvironmentName, Settings } from '../../infra/environments.ts';
import { environmentNames, settingsOf } from '../../infra/environments.ts';
import { parseEnvironment } from '../cli/arguments.ts';
import { CommandError } from '../cli/commandError.ts';

/**
 * Builds the arguments for the `cdk` program.
 * @param command a `cdk` command
 * @param given the name of an environment, then flags for `cdk`
 * @throws CommandError if there is no such environment
 */
export function cdkArguments(command: string, given: readonly string[]): string[] {
  const [name, ...flags] = given;
  if (name === undefined || name.startsWith('-')) {
    throw new CommandError(`Name the environment: npm run ${command} -- ${environmentNames.join('|')}.`, 2);
  }
  // The last value of a context key wins, so the flags cannot select another environment.
  return [command, ...flags, '--context', `env=${parseEnvironment(name)}`];
}

/** The placeholder for addresses and origins in the settings that come with the project. */
const placeholder = /(?<![\w-])example\.com(?![\w.-])/;

/**
 * Prevents the deployment of an environment whose settings have not been filled in: its alarms would reach nobody, and
 * no web page could call the API. Also prevents deploying prod to whichever account the user happens to be signed in
 * to.
 * @throws CommandError that names the first missing setting
 */
export function rejectPlaceholders(environment: EnvironmentName, settings: Settings = settingsOf(environment)): void {
  const found = Object.entries(settings).find(([, value]) => placeholder.test(JSON.stringify(value)));
  const setting = (name: string) => `The setting ${environment}.${name} in infra/environments.ts`;
  if (found !== undefined)
    throw new CommandError(`${setting(found[0])} is still a placeholder: replace it with your own.`);
  if (environment === 'prod' && settings.account === undefined)
    throw new CommandError(`${setting('account')} is not set: enter the AWS account that prod belongs in.`);
}

/** The profile in the flags for `cdk`, if any. */
export function profileOf(flags: readonly string[]): string | undefined {
  const [separate = -1, joined] = [flags.indexOf('--profile'), flags.find((flag) => flag.startsWith('--profile='))];
  return joined?.slice('--profile='.length) ?? (separate < 0 ? undefined : flags[separate + 1]);
}
