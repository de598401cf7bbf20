/** Runs the commands of `aws` on the pages as they are written there, against an AWS that refuses every request. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../../cli/findProgram.ts';
import { CommandError } from '../../cli/print.ts';
import { listen } from '../../local/listen.ts';
import { page } from '../support/programs/pages.ts';

const pages = ['docs/operations.md', 'docs/incidents.md', 'docs/accounts.md', 'docs/identity.md'];
const real = findProgram('aws');
if (real === undefined) throw new CommandError('The AWS CLI is not on the PATH.');

const folder = mkdtempSync(join(tmpdir(), 'catalog-aws-'));
symlinkSync(fileURLToPath(new URL('../../infra', import.meta.url)), join(folder, 'infra'));

/** Long enough for every parameter that the pages leave to the reader. */
const placeholder = '1'.repeat(40);

/** Each run of `aws` asks at an address of its own, so that it is known to have sent what it was asked to. */
const stubs = {
  aws: `printf '%s\\n' "$*" >> commands
export AWS_ENDPOINT_URL="$BASE/$(wc -l < commands | tr -d ' ')"
${real} "$@" >> output 2>&1 < /dev/null
case "$*" in *'--output text'*) echo ${placeholder} ;; *) echo '{}' ;; esac`,
  ...{ npm: '', npx: '', git: '', jq: '' },
};
for (const [name, script] of Object.entries(stubs)) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

const asked = new Set<number>();
const { url, close } = await listen(
  createServer((request, response) => {
    asked.add(Number(/^\/(\d+)/.exec(request.url ?? '')?.[1]));
    request.resume();
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"__type":"AccessDeniedException"}');
  }),
);
const { AWS_PROFILE: _, ...own } = process.env;
const credentials = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x', AWS_REGION: 'eu-central-1' };
const env = {
  ...own,
  ...credentials,
  AWS_DEFAULT_REGION: 'eu-central-1',
  AWS_MAX_ATTEMPTS: '1',
  AWS_PAGER: '',
  BASE: url,
};
const run = promisify(execFile);
for (const path of pages)
  for (const [, block = ''] of page(path).matchAll(/```sh\n([\s\S]*?)```/g))
    if (/\baws /.test(block))
      await run('bash', ['-c', block.replaceAll(/\b(ARN|KEY)\b/g, placeholder)], {
        cwd: folder,
        env: { ...env, PATH: [folder, own['PATH']].join(delimiter) },
      });
await close();
const commands = readFileSync(join(folder, 'commands'), 'utf8').trim().split('\n');
const refused = commands.filter((_command, index) => !asked.has(index + 1));
console.log(`${commands.length} commands of aws, ${refused.length} of which it does not accept.`);
if (refused.length > 0) console.error([...refused, readFileSync(join(folder, 'output'), 'utf8')].join('\n'));
process.exitCode = refused.length === 0 ? 0 : 1;
