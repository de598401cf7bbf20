import type { Stack } from '@aws-sdk/client-cloudformation';
import { BatchGetDeploymentsCommand, CodeDeployClient, paginateListDeployments } from '@aws-sdk/client-codedeploy';
import {
  type AliasConfiguration,
  CreateAliasCommand,
  LambdaClient,
  ListAliasesCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { aliases, outputs, unknownCommit } from '../infra/environments.ts';
import { outputIn } from './findStack.ts';
import { CommandError, toCommandError } from './print.ts';

/** A function whose traffic goes to published versions. */
export interface VersionedFunction {
  /** The name of its entry file. */
  readonly name: string;
  readonly arn: string;
  /** The version that the deployed template makes live. */
  readonly deployed: string;
  readonly live: AliasConfiguration;
  /** What was live before the last deployment that moved any function. Undefined if it was not recorded. */
  readonly before: AliasConfiguration | undefined;
  /** Its aliases `before` and `started`, of which {@link before} is one. */
  readonly recorded: Recorded;
  /** The commit of the live version; undefined if no deployment has recorded it. */
  readonly commit: string | undefined;
}

interface Recorded {
  readonly before: AliasConfiguration | undefined;
  readonly started: AliasConfiguration | undefined;
}

/**
 * The description of what was live before a deployment, from which {@link readVersions} reads when that was, and the
 * commit if a rollback has made it live again.
 */
const descriptionOf = (commit = unknownCommit): string =>
  `Live before the deployment of ${new Date().toISOString()}, of the commit ${commit}. A rollback returns to it.`;

const commitIn = (description: string | undefined): string | undefined =>
  / of the commit (\S+)\. /.exec(description ?? '')?.[1];

const timeIn = (description: string | undefined): string =>
  / the deployment of (\S+), /.exec(description ?? '')?.[1] ?? '';

/** @param profile in ~/.aws/config; undefined means the one in the environment variables */
export const connectionTo = (region: string, profile?: string) => ({
  region,
  ...(profile !== undefined && { profile }),
  // All functions are asked at once, which is about as much as Lambda lets an account do in a second.
  maxAttempts: 8,
});

export type Connection = ReturnType<typeof connectionTo>;

/**
 * Reads which versions of a stack's functions are live, for a command that moves them.
 * @returns nothing if it was deployed without keeping versions, or without any
 * @throws CommandError if a deployment is running, with the command that ends it
 */
export async function readVersions(connection: Connection, stack: Stack): Promise<VersionedFunction[]> {
  const { StackName = '', StackStatus = '' } = stack;
  if (/_IN_PROGRESS$/.test(StackStatus)) {
    const ending = `end it with aws cloudformation cancel-update-stack --stack-name ${StackName}`;
    const next = StackStatus === 'UPDATE_IN_PROGRESS' ? ending : 'wait until it has ended';
    throw new CommandError(`A deployment of ${StackName} is under way (${StackStatus}): ${next}.`);
  }
  const functions = await versionsOf(connection, stack);
  const reading = functions.length === 0 ? [] : runningShifts(connection, StackName);
  const shifts = await Promise.resolve(reading).catch(toCommandError(unreadable(stack)));
  if (shifts.length > 0) {
    const commands = shifts.map((id) => `\naws deploy stop-deployment --auto-rollback-enabled --deployment-id ${id}`);
    throw new CommandError(`CodeDeploy is shifting traffic of ${StackName}. End that with:${commands.join('')}`);
  }
  return functions;
}

const unreadable = ({ StackName }: Stack): string => `The versions of ${StackName} cannot be read`;

/** Like {@link readVersions}, but also while a deployment is running. */
export async function versionsOf(connection: Connection, stack: Stack): Promise<VersionedFunction[]> {
  const versions: Record<string, string> = JSON.parse(outputIn(stack, outputs.versions) ?? '{}');
  const lambda = new LambdaClient(connection);
  const reading = Object.entries(versions).map(async ([name, version]) => {
    const [, arn = '', deployed = ''] = /^(.*):(\d+)$/.exec(version) ?? [];
    const { live, ...recorded } = await aliasesOf(lambda, arn);
    if (live === undefined) throw new Error(`${name} has no alias ${aliases.live}`);
    return { name, arn, deployed, live, recorded };
  });
  const functions = await Promise.all(reading).catch(toCommandError(unreadable(stack)));
  const hasMoved = functions.some(
    ({ live, recorded }) => isPending(recorded) && recorded.started?.FunctionVersion !== live.FunctionVersion,
  );
  return functions.map((each) => {
    const { live, deployed, recorded } = each;
    const before = hasMoved && isPending(recorded) ? recorded.started : recorded.before;
    const earlier = live.FunctionVersion === before?.FunctionVersion ? commitIn(before?.Description) : undefined;
    const commit = live.FunctionVersion === deployed ? outputIn(stack, outputs.commit) : earlier;
    return { ...each, before, commit };
  });
}

async function aliasesOf(lambda: LambdaClient, FunctionName: string) {
  const { Aliases = [] } = await lambda.send(new ListAliasesCommand({ FunctionName }));
  const named = (name: string) => Aliases.find(({ Name }) => Name === name);
  return { live: named(aliases.live), before: named(aliases.before), started: named(aliases.started) };
}

/** Whether the alias `before` is still about an earlier deployment than the alias `started`. */
const isPending = ({ before, started }: Recorded): boolean =>
  started !== undefined && timeIn(started.Description) > timeIn(before?.Description);

/**
 * Records what is live, before a deployment that may move it. What was recorded until then stays, because a deployment
 * that is killed may have moved nothing.
 */
export async function recordStart(connection: Connection, functions: readonly VersionedFunction[]): Promise<void> {
  await recordBefore(connection, functions);
  const starting = functions.map(({ arn, live: { FunctionVersion }, commit, recorded }) =>
    setAlias(connection, arn, aliases.started, recorded.started, {
      FunctionVersion,
      Description: descriptionOf(commit),
    }),
  );
  await Promise.all(starting).catch(toCommandError(unrecorded));
}

/** Points the aliases `before` at what a rollback returns to, if a deployment has moved functions since they were set. */
export async function recordBefore(connection: Connection, functions: readonly VersionedFunction[]): Promise<void> {
  const setting = functions.map(async ({ arn, before, recorded }) => {
    if (before !== undefined && before !== recorded.before)
      await setAlias(connection, arn, aliases.before, recorded.before, before);
  });
  await Promise.all(setting).catch(toCommandError(unrecorded));
}

const unrecorded = 'The versions that were live cannot be recorded';

async function setAlias(
  connection: Connection,
  FunctionName: string,
  Name: string,
  existing: AliasConfiguration | undefined,
  { FunctionVersion, Description }: AliasConfiguration,
): Promise<void> {
  const alias = { FunctionName, Name, FunctionVersion, Description };
  const lambda = new LambdaClient(connection);
  if (existing === undefined) await lambda.send(new CreateAliasCommand(alias));
  else await lambda.send(new UpdateAliasCommand(alias));
}

/** The ids of CodeDeploy's running deployments, which can outlive CloudFormation's. */
async function runningShifts(connection: Connection, stack: string): Promise<string[]> {
  const client = new CodeDeployClient(connection);
  const includeOnlyStatuses = [...(['Created', 'Queued', 'InProgress', 'Ready'] as const)];
  const running: string[] = [];
  for await (const { deployments = [] } of paginateListDeployments({ client }, { includeOnlyStatuses }))
    running.push(...deployments);
  const ofStack: string[] = [];
  // CodeDeploy describes at most 25 at once.
  for (let first = 0; first < running.length; first += 25) {
    const deploymentIds = running.slice(first, first + 25);
    const { deploymentsInfo = [] } = await client.send(new BatchGetDeploymentsCommand({ deploymentIds }));
    for (const { applicationName, deploymentId } of deploymentsInfo)
      if (applicationName?.startsWith(`${stack}-`)) ofStack.push(String(deploymentId));
  }
  return ofStack;
}

/** The moves after which all traffic of each function goes to one version. */
export const movesTo = (
  functions: readonly VersionedFunction[],
  goal: (versioned: VersionedFunction) => string | undefined,
) =>
  functions.flatMap((versioned) => {
    const { FunctionVersion, RoutingConfig } = versioned.live;
    const isShared = Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {}).length > 0;
    const to = goal(versioned);
    return to === undefined || (to === FunctionVersion && !isShared) ? [] : [{ versioned, to }];
  });

/**
 * Makes these versions live, all at once. An alias that somebody else has moved meanwhile, such as a deployment, stays.
 * @throws CommandError that names those which are not live now, once all others are
 */
export async function pointLive(connection: Connection, moves: ReturnType<typeof movesTo>): Promise<void> {
  const lambda = new LambdaClient(connection);
  const moving = moves.map(async ({ versioned, to }) => {
    const alias = { FunctionName: versioned.arn, Name: aliases.live, RevisionId: versioned.live.RevisionId };
    const all = { FunctionVersion: to, RoutingConfig: { AdditionalVersionWeights: {} } };
    const failure = await lambda.send(new UpdateAliasCommand({ ...alias, ...all })).then(
      () => undefined,
      ({ message }: Error) => `${versioned.name} is not live in version ${to}: ${message}`,
    );
    if (failure === undefined) return [];
    // It may have been moved although the response was lost, or by somebody who does the same.
    const { live } = await aliasesOf(lambda, versioned.arn).catch(() => ({ live: undefined }));
    return live?.FunctionVersion === to ? [] : [failure];
  });
  const failures = (await Promise.all(moving)).flat();
  if (failures.length > 0) throw new CommandError([...failures, 'Run the command again.'].join('\n'));
}
