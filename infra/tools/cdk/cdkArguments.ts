import { givenEnvironment } from '../../cli/arguments.ts';
import { CommandError } from '../../cli/runCommand.ts';
import type { EnvironmentName, Settings } from '../../environments.ts';
import { environmentNames, settingsOf } from '../../environments.ts';

/**
 * What the CDK's command is called with.
 * @param command one of its commands
 * @param given the name of an environment, and the flags that are passed on
 * @throws ToolFailure when there is no such environment
 */
export function cdkArguments(command: string, given: readonly string[]): string[] {
  const [name, ...flags] = given;
  if (name === undefined || name.startsWith('-')) {
    throw new CommandError(`Name the environment: npm run ${command} -- ${environmentNames.join('|')}.`, 2);
  }
  // The last mention of a context value counts, so the flags cannot name another environment.
  return [command, ...flags, '--context', `env=${givenEnvironment(name)}`];
}

/** Where the settings as they come with the project have an address or an origin that is nobody's. */
const placeholder = /(?<![\w-])example\.com(?![\w.-])/;

/**
 * Keeps an environment from being deployed whose settings nobody has looked at: alarms would be sent to nobody, and no
 * page could call the API.
 * @param settings those of infra/environments.ts
 * @throws ToolFailure that names the first setting with a placeholder
 */
export function refusePlaceholders(environment: EnvironmentName, settings: Settings = settingsOf(environment)): void {
  const found = Object.entries(settings).find(([, value]) => placeholder.test(JSON.stringify(value)));
  if (found === undefined) return;
  const setting = `${environment}.${found[0]}`;
  throw new CommandError(
    `The setting ${setting} in infra/environments.ts is still a placeholder: name your own first.`,
  );
}
