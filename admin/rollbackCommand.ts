import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { accountOf, outputIn, placeText, requireStack } from '../cli/findStack.ts';
import {
  type Connection,
  connectionTo,
  movesTo,
  pointLive,
  readVersions,
  recordBefore,
  type VersionedFunction,
} from '../cli/liveVersions.ts';
import { CommandError, toCommandError } from '../cli/print.ts';
import { usageError, valueOption } from '../cli/program.ts';
import { outputs, settingsOf, stackName, unknownCommit } from '../infra/environments.ts';
import { variables } from '../lib/runtime/environment.ts';
import { type AdminIO, type AdminProgram, confirming } from './adminProgram.ts';
import { columns } from './columns.ts';
import type { RollbackResult } from './smoke/newVersionsHandler.ts';

const description = `Makes those versions of the functions live again that were live before the last deployment, once they have passed the check of new versions. All else stays as it is deployed: rights, settings, routes, tables, functions that did not exist before, and those that the API does not call.

It can be interrupted at any time, and repeated to continue. It exits with 1 if there is nothing to move. The next deployment must be one at once, unless --to deployed goes forward again.`;

const permissions = `
You need cloudformation:DescribeStacks on the stack, codedeploy:ListDeployments and codedeploy:BatchGetDeployments,
lambda:ListAliases, lambda:CreateAlias, lambda:UpdateAlias and lambda:GetFunctionConfiguration on the functions, and
lambda:InvokeFunction on checkNewVersions.`;

/** The version of a function that is to be live. One without an earlier version stays. */
const goals = {
  before: ({ live, before = live }: VersionedFunction) => String(before.FunctionVersion),
  deployed: ({ deployed }: VersionedFunction) => deployed,
};

export function addRollbackCommand(admin: AdminProgram, { ask, show }: AdminIO): void {
  admin
    .command('rollback')
    .summary('Makes earlier versions of the functions live again.')
    .description(description)
    .addOption(
      valueOption(
        '--to <versions>',
        'before, those from before the last deployment; or deployed, those from the last deployment',
        z.enum(['before', 'deployed'], 'must be before or deployed'),
      ).default('before' as const),
    )
    .option('--unchecked', 'do not call the versions first')
    .addHelpText('after', permissions)
    .action(async ({ to, unchecked: isUnchecked = false }, command) => {
      const { env, json = false } = command.optsWithGlobals();
      if (env === undefined) throw usageError("The command 'rollback' needs '--env'");
      const connection = connectionTo(settingsOf(env).region);
      const stack = await requireStack(env);
      const functions = await readVersions(connection, stack);
      if (functions.every(({ before }) => before === undefined))
        throw new CommandError(`${stackName(env)} has no earlier versions: no deployment has kept any.`);
      const goal = goals[to];
      const live = Object.fromEntries(functions.map((versioned) => [versioned.name, goal(versioned)]));
      const moves = movesTo(functions, goal);
      if (outputIn(stack, outputs.sharesEnforced) !== undefined) await requireShares(connection, functions, goal);
      if (moves.length > 0) {
        const called = Object.fromEntries(
          functions.map((versioned) => [versioned.name, `${versioned.arn}:${goal(versioned)}`]),
        );
        const check = outputIn(stack, outputs.checkNewVersions);
        const unknown = isUnchecked ? [] : await checkVersions(new LambdaClient(connection), check, called);
        const failing = unknown.map((route) => `Then ${route} fails, which they do not serve.`);
        const question = [planText(functions, goal), ...failing, `Type ${env} to make these versions live: `];
        await confirming(ask, placeText(env, accountOf(stack)))(question.join('\n'), env, 'moved');
        await recordBefore(connection, functions);
        await pointLive(connection, moves);
      }
      const versions = Object.entries(live).map(([name, version]) => `${name} ${version}`);
      const moved = moves.length === 0 ? 'Nothing to move. ' : '';
      if (moves.length === 0) process.exitCode = 1;
      const text = `${moved}Live: ${versions.join(', ')}. Next: npm run admin -- smoke --env ${env}`;
      show({ text, data: { to, live } }, json);
    });
}

/** @throws CommandError if the authorizer that would be live gives callers no share, without which they get 403 */
async function requireShares(
  connection: Connection,
  functions: readonly VersionedFunction[],
  goal: (versioned: VersionedFunction) => string,
): Promise<void> {
  const authorizer = functions.find(({ name }) => name === 'authorizer');
  if (authorizer === undefined) return;
  const version = { FunctionName: authorizer.arn, Qualifier: goal(authorizer) };
  const { Environment } = await new LambdaClient(connection)
    .send(new GetFunctionConfigurationCommand(version))
    .catch(toCommandError('The version of the authorizer cannot be read'));
  if (Environment?.Variables?.[variables.shares] === undefined)
    throw new CommandError(
      `Version ${version.Qualifier} of the authorizer gives callers no share: first deploy with throttling.shares.enforced false.`,
    );
}

const planText = (functions: readonly VersionedFunction[], goal: (versioned: VersionedFunction) => string): string =>
  columns(
    functions.map((versioned) => {
      const { FunctionVersion: live } = versioned.live;
      const move = live === goal(versioned) ? 'stays' : `goes to version ${goal(versioned)}`;
      const note = versioned.before && `Version ${versioned.before.FunctionVersion}: ${versioned.before.Description}`;
      return [
        versioned.name,
        `version ${live} (commit ${versioned.commit ?? unknownCommit})`,
        move,
        note ?? 'It has no earlier version.',
      ];
    }),
  );

/**
 * Has versions called as the new versions of a deployment are.
 * @returns the routes that they do not serve
 * @throws CommandError if they fail, or are not called
 */
async function checkVersions(lambda: LambdaClient, FunctionName: string | undefined, versions: object) {
  const instead = '\nTo make them live without calling them first, add --unchecked.';
  if (FunctionName === undefined) throw new CommandError(`The heartbeat has no token to call them with.${instead}`);
  const { Payload, FunctionError } = await lambda
    .send(new InvokeCommand({ FunctionName, Payload: JSON.stringify({ versions }) }))
    .catch(toCommandError('The function that checks versions cannot be called'));
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError !== undefined)
    throw new CommandError(`The function that checks versions failed: ${text}${instead}`);
  const { failures, isChecked, unknownRoutes } = JSON.parse(text) as RollbackResult;
  if (!isChecked) throw new CommandError(`The heartbeat has no token to call them with.${instead}`);
  if (failures.length > 0) throw new CommandError(failures.join('\n') + instead);
  return unknownRoutes;
}
