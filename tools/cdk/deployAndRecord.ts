import { CommandError } from '../../cli/commandError.ts';
import type { findStack } from '../../cli/findStack.ts';
import {
  type connectionTo,
  movesTo,
  pointLive,
  readVersions,
  recordBefore,
  recordStart,
  type VersionedFunction,
  versionsOf,
} from '../../cli/liveVersions.ts';
import { type EnvironmentName, stackName } from '../../infra/environments.ts';

/**
 * Compares what is live with what is deployed. CloudFormation moves only aliases whose version changes in the template,
 * and CodeDeploy shifts traffic from the version that the template names.
 * @param atOnce whether CodeDeploy is left out, so that all can be put in order after the deployment
 * @returns a message about the versions that a deployment at once corrects; undefined if there are none
 * @throws CommandError if they differ otherwise
 */
export function requireOrder(
  environment: EnvironmentName,
  functions: readonly VersionedFunction[],
  atOnce: boolean,
): string | undefined {
  const astray = movesTo(functions, ({ deployed }) => deployed);
  if (astray.length === 0) return undefined;
  const versions = astray
    .map(({ versioned, to }) => `${versioned.name} ${versioned.live.FunctionVersion} instead of ${to}`)
    .join(', ');
  const found = `${stackName(environment)} was rolled back, and these versions are live: ${versions}.`;
  if (!atOnce)
    throw new CommandError(
      `${found}\nA gradual deployment would begin with the others. Deploy at once, with --context atOnce=true, or first ` +
        `go forward again: npm run admin -- rollback --env ${environment} --to deployed`,
    );
  return `${found}\nAfter this deployment, all versions are live that are deployed.`;
}

/**
 * Deploys, and records before that which versions are live, for a rollback. It can be killed at any time: a rollback then
 * returns to what was live before the last deployment that moved anything. What CloudFormation left behind because of an
 * earlier rollback is corrected: all versions are live that are deployed, or if the deployment failed those that were.
 * @param functions read before the deployment
 * @param deploy returns its exit code, which is returned
 * @throws CommandError that names the versions that are not live as they should be
 */
export async function deployAndRecord(
  connection: ReturnType<typeof connectionTo>,
  functions: readonly VersionedFunction[],
  deploy: () => Promise<number>,
  find: () => ReturnType<typeof findStack>,
): Promise<number> {
  if (functions.length === 0) return deploy();
  await recordStart(connection, functions);
  const code = await deploy();
  const stack = await find();
  if (stack === undefined) return code;
  const now = await readVersions(connection, stack);
  const earlier = new Map(functions.map((versioned) => [versioned.name, versioned]));
  const goal = ({ name, deployed }: VersionedFunction): string | undefined => {
    const was = earlier.get(name);
    return code === 0 || was?.deployed !== deployed ? deployed : was.live.FunctionVersion;
  };
  await pointLive(connection, movesTo(now, goal));
  await recordBefore(connection, await versionsOf(connection, stack));
  return code;
}
