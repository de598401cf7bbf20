/**
 * Has schemathesis, which knows nothing of this code, test the local service against openapi.json: generated requests,
 * valid and invalid, and sequences of requests that follow the document's links.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand, valueOption, wholeNumber } from '../../cli/program.ts';
import { runProgram } from '../../cli/runProgram.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { startService } from '../../local/startService.ts';
import { pythonPackage } from '../support/programs/pythonPackage.ts';

const version = '4.32.5';

async function judge(examples: number, seed: number): Promise<number> {
  const program = join(await pythonPackage('schemathesis', version), 'st');
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const hooks = fileURLToPath(new URL('hooks.py', import.meta.url));
  const { url, tokens, close } = await startService({ port: 0 });
  const before = process.cwd();
  const reports = mkdtempSync(join(tmpdir(), 'catalog-schemathesis-'));
  try {
    // It keeps what it has found in the folder that it is started in.
    process.chdir(reports);
    const limits = ['--max-examples', String(examples), '--seed', String(seed), '--continue-on-failure'];
    const call = [
      'run',
      `${url}/openapi.json`,
      '--checks',
      'all',
      '--header',
      `Authorization: Bearer ${tokens.editor}`,
    ];
    return await runProgram(program, [...call, ...limits], { ...process.env, SCHEMATHESIS_HOOKS: hooks });
  } finally {
    process.chdir(before);
    rmSync(reports, { recursive: true, force: true });
    await close();
  }
}

const program = createProgram(
  'npm run nightly -- schemathesis',
  'Tests the local service against openapi.json with schemathesis. It needs Python 3.10 or newer, and PyPI once.',
);
program
  .addOption(
    valueOption(
      '--examples <number>',
      'how many requests for each operation and phase',
      wholeNumber(1, 1_000_000_000),
    ).default(100),
  )
  .addOption(valueOption('--seed <number>', 'decides the requests: a random one unless given', wholeNumber(0, 2 ** 32)))
  .action(async ({ examples, seed = Math.floor(Math.random() * 2 ** 31) }) => {
    process.exitCode = await judge(examples, seed);
  });
await runCommand(program);
