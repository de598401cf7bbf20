import { setTimeout as sleep } from 'node:timers/promises';
import { SSMClient } from '@aws-sdk/client-ssm';
import { requireOutput, requireStack } from '../../cli/findStack.ts';
import { findLocalService } from '../../cli/localService.ts';
import { CommandError, print } from '../../cli/print.ts';
import { type EnvironmentName, outputs, settingsOf } from '../../infra/environments.ts';
import type { AdminProgram } from '../adminProgram.ts';
import { smokeChecks } from './checks.ts';
import { readHeartbeatToken } from './heartbeatHandler.ts';
import { runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';

const tokenVariable = 'CATALOG_TOKEN';

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
      const { url, token, isHeartbeats, missing, timing } = await target(env);
      const checks = smokeChecks(token, isHeartbeats);
      const results = await runChecks(publicApi(url), checks, timing);
      const failed = results.filter(({ failure }) => failure !== undefined).length;
      process.exitCode = failed === 0 && missing === undefined ? 0 : 1;
      const skipped = checks.slice(results.length).map(({ name }) => name);
      if (json) return print(JSON.stringify({ url, failed, skipped, missing, results }));
      for (const { name, failure, duration } of results)
        print(failure === undefined ? `ok      ${name} (${duration} ms)` : `FAILED  ${failure}`);
      for (const name of skipped) print(`skipped ${name}`);
      const all = token === undefined ? 'all checks that need no token' : 'all checks';
      const outcome = failed === 0 ? `passed ${all}` : `failed ${failed} of ${checks.length} checks`;
      const uncalled = ['; functions were not called.', ...(missing === undefined ? [] : [missing])].join(' ');
      print(`${url} ${outcome}${token === undefined ? uncalled : '.'}`);
    });
}

/** The API to check, and a token for the checks that call functions. */
interface Target {
  readonly url: string;
  readonly token?: string | undefined;
  readonly isHeartbeats?: boolean;
  /** Why there is no token although the environment's settings name it. */
  readonly missing?: string;
  readonly timing?: Parameters<typeof runChecks>[2];
}

async function target(environment: EnvironmentName | undefined): Promise<Target> {
  const token = tokenIn(process.env);
  if (environment === undefined) {
    const { url, tokens } = await findLocalService();
    return { url, token: token ?? tokens.editor };
  }
  const url = requireOutput(environment, await requireStack(environment), outputs.apiUrl);
  const found = token === undefined ? await personsToken(environment) : { token };
  // It takes some seconds until all of API Gateway's servers have a new deployment.
  return { url, ...found, timing: { attempts: 4, pause: () => sleep(5_000) } };
}

/** Pipelines set the variable to an empty text if they have no token. @throws CommandError if it cannot be a token */
function tokenIn({ [tokenVariable]: token }: NodeJS.ProcessEnv): string | undefined {
  if (token === undefined || token === '') return undefined;
  // The error of `fetch` would show the token.
  if (!/^[!-~]+$/.test(token)) throw new CommandError(`The value of ${tokenVariable} is not a token.`, 2);
  return token;
}

/** Reads the token of an environment's heartbeat for a person. A pipeline, which sets the variable CI, may not read it. */
async function personsToken(environment: EnvironmentName): Promise<Omit<Target, 'url'>> {
  const { heartbeatToken: Name, region } = settingsOf(environment);
  if (Name === undefined || (process.env['CI'] ?? '') !== '') return {};
  return readHeartbeatToken(new SSMClient({ region }), Name).then(
    (read) => {
      if (read !== undefined && read.expiresAt > Date.now()) return { token: read.token, isHeartbeats: true };
      const what = read === undefined ? 'has no token' : 'has a token that has expired';
      return { missing: `The heartbeat ${what}: npm run admin -- heartbeat --env ${environment} gives it a new one.` };
    },
    ({ message }: Error) => ({ missing: `The heartbeat's token in ${Name} cannot be read: ${message}` }),
  );
}
