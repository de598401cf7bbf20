import { givenEnvironment } from '../../cli/arguments.ts';
import { CommandError } from '../../cli/commandError.ts';
import type { EnvironmentName, Settings } from '../../environments.ts';
import { environmentNames, settingsOf } from '../../environments.ts';

/**
 * The arguments for the `cdk` program.
 * @param command one of its commands
 * @param given the name of an environment, then flags for `cdk`
 * @throws CommandError when there is no such environment
 */
export function cdkArguments(command: string, given: readonly string[]): string[] {
  const [name, ...flags] = given;
  if (name === undefined || name.startsWith('-')) {
    throw new CommandError(`Name the environment: npm run ${command} -- ${environmentNames.join('|')}.`, 2);
  }
  // The last value of a context key counts, so the flags cannot choose another environment.
  return [command, ...flags, '--context', `env=${givenEnvironment(name)}`];
}

/** Stands for an address or an origin in the settings that the project comes with. */
const placeholder = /(?<![\w-])example\.com(?![\w.-])/;

/**
 * Prevents the deployment of an environment whose settings nobody has filled in: its alarms would reach nobody, and no web
 * page could call the API.
 * @throws CommandError that names the first setting with a placeholder
 */
export function refusePlaceholders(environment: EnvironmentName, settings: Settings = settingsOf(environment)): void {
  const found = Object.entries(settings).find(([, value]) => placeholder.test(JSON.stringify(value)));
  if (found === undefined) return;
  const setting = `${environment}.${found[0]}`;
  throw new CommandError(
    `The setting ${setting} in infra/environments.ts is still a placeholder: replace it with your own.`,
  );
}
