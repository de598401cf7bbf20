import { CommandError } from '../../cli/print.ts';
import type { EnvironmentName, Settings } from '../../infra/environments.ts';

/** The placeholder for addresses and origins in the settings that come with the project. */
const placeholder = /(?<![\w-])example\.com(?![\w.-])/;

/**
 * Prevents the deployment of an environment whose settings have not been filled in: its alarms would reach nobody, and
 * no web page could call the API. Also prevents deploying prod to whichever account the user happens to be signed in
 * to.
 * @throws CommandError that names the first missing setting
 */
export function rejectPlaceholders(environment: EnvironmentName, settings: Settings): void {
  const found = Object.entries(settings).find(([, value]) => placeholder.test(JSON.stringify(value)));
  const setting = (name: string) => `The setting ${environment}.${name} in infra/environments.ts`;
  if (found !== undefined)
    throw new CommandError(`${setting(found[0])} is still a placeholder: replace it with your own.`);
  if (environment === 'prod' && settings.account === undefined)
    throw new CommandError(`${setting('account')} is not set: enter the AWS account that prod belongs in.`);
}
