import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  CloudFormationClient,
  GetTemplateCommand,
  SetStackPolicyCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { parse } from 'yaml';
import { accountOf, findStack, placeText } from '../../cli/findStack.ts';
import {
  connectionTo,
  movesTo,
  pointLive,
  readVersions,
  recordBefore,
  recordStart,
  type VersionedFunction,
  versionsOf,
} from '../../cli/liveVersions.ts';
import { CommandError, print, printError, toCommandError } from '../../cli/print.ts';
import { createApp } from '../../infra/catalogApp.ts';
import { type EnvironmentName, type Settings, stackName } from '../../infra/environments.ts';
import { lostResources, protectedTypes, requireProtected, type TemplateJson } from './lostResources.ts';
import { requireShares } from './requireShares.ts';

/** The concurrent executions of an AWS account that Lambda does not let functions reserve. */
const unreservable = 100;

/** The least that is left for callers and for functions that the checks call. Throttled calls are retried. */
const besidesChecks = 2;

interface Deployment {
  readonly environment: EnvironmentName;
  readonly settings: Settings;
  readonly first: boolean;
  /** Whether resources that hold state or an address may be lost, as far as CloudFormation does not protect them. */
  readonly acceptLoss: boolean;
  readonly atOnce: boolean;
  readonly profile: string | undefined;
}

/**
 * Checks a deployment before it changes anything, runs it, and sets a stack policy that protects what the stack must
 * never lose, also from those who deploy in another way.
 * @param deploy returns its exit code, which is returned
 * @param synthesise returns the template that is to be deployed
 * @param wait waits until the gateway's cache has expired
 * @throws CommandError if another deployment is running, a rollback stands in its way, callers would lack a share, a
 * resource that holds state or an address would be lost, the environment does not exist and `first` is not set, or the
 * AWS account has too few concurrent executions
 */
export async function guardDeployment(
  deployment: Deployment,
  deploy: () => Promise<number>,
  synthesise = newTemplate,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<number> {
  const { environment, settings, first, acceptLoss, atOnce, profile } = deployment;
  const name = stackName(environment);
  const connection = connectionTo(settings.region, profile);
  const cloudFormation = new CloudFormationClient(connection);
  const stack = await findStack(environment, settings, profile);
  const exists = stack !== undefined && wasCreated(stack);
  if (!exists && !first)
    throw new CommandError(
      `There is no ${name} in ${settings.region} of the AWS account that you are signed in to: if it belongs there ` +
        'and is to be created, add --first.',
    );
  const functions = exists ? await readVersions(connection, stack) : [];
  const order = requireOrder(environment, functions, atOnce);
  const before = exists ? await deployedTemplate(cloudFormation, name) : { Resources: {} };
  const after = synthesise(environment, settings);
  requireProtected(environment, before, after);
  const secondsCached = requireShares(before, after, functions);
  const losses = lostResources(before, after).map((loss) => `${name} would lose ${loss}.`);
  if (losses.length > 0 && !acceptLoss)
    throw new CommandError([...losses, 'If that is intended, add --accept-loss.'].join('\n'));
  const checks = atOnce || settings.heartbeatToken === undefined ? 0 : changedAliases(before, after);
  const { burst } = settings.throttling;
  const more = reserved(after) - reserved(before);
  const missing = await missingConcurrency(new LambdaClient(connection), more, checks, burst);
  // Nothing is checked when the environment is created.
  if (missing !== undefined && (exists || missing.isReserved)) throw new CommandError(missing.text);
  if (missing !== undefined) print(missing.text);
  if (exists) await protect(cloudFormation, name);
  if (exists && functions.length === 0 && settings.gradualDeployment !== undefined)
    print('A rollback cannot return to what is live now, because it was deployed without being kept.');
  // The CDK's own question does not name the account.
  const place = placeText(environment, stack === undefined ? settings.account : accountOf(stack));
  if (place !== undefined) printError(place);
  if (order !== undefined) print(order);
  await wait(secondsCached * 1_000);
  const code = await deployAndRecord(connection, functions, deploy, () => findStack(environment, settings, profile));
  if (!exists && code === 0) await protect(cloudFormation, name);
  return code;
}

/** False if the stack's creation failed or was only prepared, so that it never held anything. */
const wasCreated = ({ StackStatus }: Stack): boolean =>
  !/^(REVIEW_IN_PROGRESS|ROLLBACK_COMPLETE|ROLLBACK_FAILED)$/.test(StackStatus ?? '');

async function deployedTemplate(client: CloudFormationClient, name: string): Promise<TemplateJson> {
  const { TemplateBody = '' } = await client
    .send(new GetTemplateCommand({ StackName: name }))
    .catch(toCommandError(`The deployed template of ${name} cannot be read`));
  // The CDK deploys JSON, but imports resources with YAML, which JSON is a part of.
  return parse(TemplateBody) as TemplateJson;
}

function newTemplate(environment: EnvironmentName, settings: Settings): TemplateJson {
  // The CDK would leave a folder of its own behind.
  const outdir = mkdtempSync(join(tmpdir(), 'catalog-template-'));
  try {
    const assembly = createApp({ environment, settings, bundling: false, outdir }).synth();
    return assembly.getStackByName(stackName(environment)).template;
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The concurrent executions that a template's functions reserve. */
const reserved = ({ Resources }: TemplateJson): number =>
  Object.values(Resources)
    .map(({ Properties }) => Number(Properties?.['ReservedConcurrentExecutions'] ?? 0))
    .reduce((sum, each) => sum + each, 0);

/** The functions that get new versions, which are all checked at the same time. */
const changedAliases = (before: TemplateJson, { Resources }: TemplateJson): number =>
  Object.entries(Resources).filter(
    ([id, { Type, Properties }]) =>
      Type === 'AWS::Lambda::Alias' &&
      !isDeepStrictEqual(Properties?.['FunctionVersion'], before.Resources[id]?.Properties?.['FunctionVersion']),
  ).length;

/**
 * @param more the executions that functions would reserve in addition
 * @param checks how many versions are checked
 * @param burst how many requests the stage lets through at once, for which callers need as many
 * @returns what the AWS account's quota does not leave room for; undefined if it is enough
 */
async function missingConcurrency(client: LambdaClient, more: number, checks: number, burst: number) {
  if (more <= 0 && checks === 0) return undefined;
  const { AccountLimit } = await client
    .send(new GetAccountSettingsCommand())
    .catch(toCommandError("The AWS account's quota of concurrent executions cannot be read"));
  const { ConcurrentExecutions: quota = 0, UnreservedConcurrentExecutions: unreserved = 0 } = AccountLimit ?? {};
  const left = unreserved - Math.max(0, more);
  const isReserved = more > 0 && left < unreservable;
  const needed = isReserved ? unreservable : checks + besidesChecks;
  if (left >= needed) return undefined;
  const purpose = isReserved
    ? `The functions would reserve ${more} more concurrent executions than the AWS account's quota of ${quota} leaves room for`
    : `A gradual deployment checks its ${checks} new versions at once, for which it needs ${needed} concurrent executions, and the AWS account's quota of ${quota} leaves ${left}`;
  const enough = Math.max(quota + needed - left, burst);
  const text = `${purpose}: request at least ${enough} from Service Quotas, for Lambda's "Concurrent executions", which can take days.`;
  return { isReserved, text };
}

/** Holds for every later deployment of the stack, until another policy is set. */
async function protect(client: CloudFormationClient, name: string): Promise<void> {
  const all = { Principal: '*', Resource: '*' };
  const policy = {
    Statement: [
      { Effect: 'Allow', Action: 'Update:*', ...all },
      {
        Effect: 'Deny',
        Action: ['Update:Replace', 'Update:Delete'],
        ...all,
        Condition: { StringEquals: { ResourceType: protectedTypes } },
      },
    ],
  };
  await client
    .send(new SetStackPolicyCommand({ StackName: name, StackPolicyBody: JSON.stringify(policy) }))
    .catch(toCommandError(`The policy of the stack ${name} cannot be set`));
}

/**
 * Compares what is live with what is deployed. CloudFormation moves only aliases whose version changes in the template,
 * and CodeDeploy shifts traffic from the version that the template names.
 * @param atOnce whether CodeDeploy is left out, so that all can be put in order after the deployment
 * @returns a message about the versions that a deployment at once corrects; undefined if there are none
 * @throws CommandError if they differ otherwise
 */
function requireOrder(
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
async function deployAndRecord(
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
