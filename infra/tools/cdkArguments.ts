import { environmentNames } from '../environments.ts';
import { givenEnvironment } from './arguments.ts';
import { ToolFailure } from './toolFailure.ts';

/**
 * What the CDK's command is called with.
 * @param command one of its commands
 * @param given the name of an environment, and the flags that are passed on
 * @throws ToolFailure when there is no such environment
 */
export function cdkArguments(command: string, given: readonly string[]): string[] {
  const [name, ...flags] = given;
  if (name === undefined || name.startsWith('-')) {
    throw new ToolFailure(`Name the environment: npm run ${command} -- ${environmentNames.join('|')}.`, 2);
  }
  // The last mention of a context value counts, so the flags cannot name another environment.
  return [command, ...flags, '--context', `env=${givenEnvironment(name)}`];
}
