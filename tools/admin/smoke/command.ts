import { setTimeout as sleep } from 'node:timers/promises';
import { anonymousChecks, editorChecks } from '../../../lib/smoke/checks.ts';
import { runChecks } from '../../../lib/smoke/runChecks.ts';
import { SmokeApi } from '../../../lib/smoke/smokeApi.ts';
import { findLocalService } from '../../cli/localService.ts';
import { print } from '../../cli/print.ts';
import { runCommand } from '../../cli/runCommand.ts';
import { deployedUrl } from './deployedUrl.ts';
import { help, readArguments, type SmokeOptions, tokenVariable } from './options.ts';

await runCommand(async (args) => {
  const options = readArguments(args);
  if (options === 'help') {
    print(help);
    return 0;
  }
  const { url, token, ...patience } = await target(options);
  const checks = [...anonymousChecks, ...(token === undefined ? [] : editorChecks(token))];
  const results = await runChecks(new SmokeApi(url), checks, { now: Date.now, ...patience });
  for (const { name, failure, duration } of results)
    print(failure === undefined ? `ok      ${name} (${duration} ms)` : `FAILED  ${failure}`);
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  print(failed === 0 ? `${url} passed all checks.` : `${url} failed ${failed} of ${results.length} checks.`);
  return failed === 0 ? 0 : 1;
});

async function target({ environment, outputs }: SmokeOptions) {
  const token = process.env[tokenVariable];
  if (environment === undefined) {
    const { url, tokens } = await findLocalService();
    return { url, token: token ?? tokens.editor };
  }
  // It takes some seconds until all of API Gateway's servers have a new deployment.
  return { url: await deployedUrl(environment, outputs), token, attempts: 4, pause: () => sleep(5_000) };
}
