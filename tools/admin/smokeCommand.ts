import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { EnvironmentName } from '../../infra/environments.ts';
import { anonymousChecks, editorChecks } from '../../lib/smoke/checks.ts';
import { runChecks } from '../../lib/smoke/runChecks.ts';
import { SmokeApi } from '../../lib/smoke/smokeApi.ts';
import { findLocalService } from '../cli/localService.ts';
import { usageError, valueOption } from '../cli/options.ts';
import { print } from '../cli/print.ts';
import type { AdminProgram } from './adminProgram.ts';
import { deployedUrl } from './deployedUrl.ts';

const tokenVariable = 'CATALOG_TOKEN';

const description = `Checks from outside that an environment responds as expected: a preflight request, a request without a token, one with an unknown token, an unknown route, and an unsupported method.

With an editor's token in the variable ${tokenVariable}, it also creates, reads, updates and archives an item, which remains in the token's account. For the service on this machine, it has one.`;

export function addSmokeCommand(admin: AdminProgram): void {
  admin
    .command('smoke')
    .summary('Checks from outside that an environment responds as expected.')
    .description(description)
    .addOption(
      valueOption(
        '--outputs <file>',
        'read the address from the file written by deploy --outputs-file, instead of asking AWS',
        z.string(),
      ),
    )
    .action(async ({ outputs }, command) => {
      const { env, json = false } = command.optsWithGlobals();
      const { url, token, ...timing } = await target(env, outputs);
      const checks = [...anonymousChecks, ...(token === undefined ? [] : editorChecks(token))];
      const results = await runChecks(new SmokeApi(url), checks, { now: Date.now, ...timing });
      const failed = results.filter(({ failure }) => failure !== undefined).length;
      process.exitCode = failed === 0 ? 0 : 1;
      if (json) return print(JSON.stringify({ url, failed, results }));
      for (const { name, failure, duration } of results)
        print(failure === undefined ? `ok      ${name} (${duration} ms)` : `FAILED  ${failure}`);
      print(failed === 0 ? `${url} passed all checks.` : `${url} failed ${failed} of ${results.length} checks.`);
    });
}

async function target(environment: EnvironmentName | undefined, outputs: string | undefined) {
  const token = process.env[tokenVariable];
  if (environment === undefined) {
    if (outputs !== undefined) throw usageError("Option '--outputs' needs '--env'");
    const { url, tokens } = await findLocalService();
    return { url, token: token ?? tokens.editor };
  }
  // It takes some seconds until all of API Gateway's servers have a new deployment.
  return { url: await deployedUrl(environment, outputs), token, attempts: 4, pause: () => sleep(5_000) };
}
