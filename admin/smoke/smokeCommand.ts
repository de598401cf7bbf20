import { setTimeout as sleep } from 'node:timers/promises';
import { requireOutput, requireStack } from '../../cli/findStack.ts';
import { findLocalService } from '../../cli/localService.ts';
import { print } from '../../cli/print.ts';
import { type EnvironmentName, outputs } from '../../infra/environments.ts';
import type { AdminProgram } from '../adminProgram.ts';
import { smokeChecks } from './checks.ts';
import { runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';
import { personsToken, type SmokeToken, tokenIn, tokenVariable } from './smokeToken.ts';

const description = `Checks from outside that an environment responds as expected: preflight requests, errors of the gateway, each route without a token, and the authorizer with an unknown one.

The functions behind the routes are only called with an editor's token: that in the variable ${tokenVariable}, or else the one that the environment's heartbeat has, except in a pipeline, which sets the variable CI. It leaves one inactive item in the token's account, however often it runs. For the service on this machine, it has a token. Checks that would only fail for the same reason as one before them are skipped.`;

const permissions = `
You need cloudformation:DescribeStacks on the stack, and ssm:GetParameter on the parameter in the setting heartbeatToken.`;

export function addSmokeCommand(admin: AdminProgram): void {
  admin
    .command('smoke')
    .summary('Checks from outside that an environment responds as expected.')
    .description(description)
    .addHelpText('after', permissions)
    .action(async (_, command) => {
      const { env, json = false } = command.optsWithGlobals();
      const { url, found, timing } = await target(env);
      const { token, isHeartbeats, missing }: SmokeToken = found;
      const checks = smokeChecks(token, isHeartbeats);
      const results = await runChecks(publicApi(url), checks, timing);
      const failed = results.filter(({ failure }) => failure !== undefined).length;
      process.exitCode = failed === 0 && missing === undefined ? 0 : 1;
      const skipped = checks.slice(results.length).map(({ name }) => name);
      if (json) return print(JSON.stringify({ url, failed, skipped, missing, results }));
      for (const { name, failure, duration } of results)
        print(failure === undefined ? `ok      ${name} (${duration} ms)` : `FAILED  ${failure}`);
      for (const name of skipped) print(`skipped ${name}`);
      print(`${url} ${outcomeText(failed, checks.length, found)}`);
    });
}

function outcomeText(failed: number, all: number, { token, missing }: SmokeToken): string {
  const extent = token === undefined ? 'checks that need no token' : 'checks';
  const outcome = failed === 0 ? `passed all ${extent}` : `failed ${failed} of ${all} checks`;
  if (token !== undefined) return `${outcome}.`;
  return missing === undefined
    ? `${outcome}; functions were not called.`
    : `${outcome}; functions were not called. ${missing}`;
}

async function target(environment: EnvironmentName | undefined) {
  const given = tokenIn(process.env);
  if (environment === undefined) {
    const { url, tokens } = await findLocalService();
    return { url, found: { token: given ?? tokens.editor }, timing: {} };
  }
  const url = requireOutput(environment, await requireStack(environment), outputs.apiUrl);
  const found = given === undefined ? await personsToken(environment) : { token: given };
  // It takes some seconds until all of API Gateway's servers have a new deployment.
  return { url, found, timing: { attempts: 4, pause: () => sleep(5_000) } };
}
