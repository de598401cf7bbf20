import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../../cli/commandError.ts';
import { stackOutput } from '../../cli/findStack.ts';
import { findLocalService } from '../../cli/localService.ts';
import { print } from '../../cli/print.ts';
import { type EnvironmentName, outputs } from '../../infra/environments.ts';
import type { AdminProgram } from '../adminProgram.ts';
import { smokeChecks } from './checks.ts';
import { runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';

const tokenVariable = 'CATALOG_TOKEN';

const description = `Checks from outside that an environment responds as expected: preflight requests, errors of the gateway, each route without a token, and the authorizer with an unknown one.

The functions behind the routes are only called with an editor's token in the variable ${tokenVariable}. It leaves one inactive item in the token's account, however often it runs. For the service on this machine, it has a token. Checks that would only fail for the same reason as one before them are skipped.`;

export function addSmokeCommand(admin: AdminProgram): void {
  admin
    .command('smoke')
    .summary('Checks from outside that an environment responds as expected.')
    .description(description)
    .action(async (_, command) => {
      const { env, json = false } = command.optsWithGlobals();
      const { url, token, ...timing } = await target(env);
      const checks = smokeChecks(token);
      const results = await runChecks(publicApi(url), checks, timing);
      const failed = results.filter(({ failure }) => failure !== undefined).length;
      process.exitCode = failed === 0 ? 0 : 1;
      const skipped = checks.slice(results.length).map(({ name }) => name);
      if (json) return print(JSON.stringify({ url, failed, skipped, results }));
      for (const { name, failure, duration } of results)
        print(failure === undefined ? `ok      ${name} (${duration} ms)` : `FAILED  ${failure}`);
      for (const name of skipped) print(`skipped ${name}`);
      const extent = token === undefined ? `checks that need no token in ${tokenVariable}` : 'checks';
      print(failed === 0 ? `${url} passed all ${extent}.` : `${url} failed ${failed} of ${checks.length} checks.`);
    });
}

async function target(environment: EnvironmentName | undefined) {
  const token = tokenIn(process.env);
  if (environment === undefined) {
    const { url, tokens } = await findLocalService();
    return { url, token: token ?? tokens.editor };
  }
  // It takes some seconds until all of API Gateway's servers have a new deployment.
  return { url: await stackOutput(environment, outputs.apiUrl), token, attempts: 4, pause: () => sleep(5_000) };
}

/** Pipelines set the variable to an empty text if they have no token. */
function tokenIn({ [tokenVariable]: token }: NodeJS.ProcessEnv): string | undefined {
  if (token === undefined || token === '') return undefined;
  // The error of `fetch` would show the token.
  if (!/^[!-~]+$/.test(token)) throw new CommandError(`The value of ${tokenVariable} is not a token.`, 2);
  return token;
}
