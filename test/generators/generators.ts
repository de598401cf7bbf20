/**
 * Has generators that callers are likely to use make a client from openapi.json, compiles each client with a small
 * program in `clients`, and runs it against the local service. Every generator reads the document in its own way.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { limits } from '../../lib/item/limits.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { startService } from '../../local/startService.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The generators in TypeScript need the JavaScript API of TypeScript 5. */
const npx = (generator: string) => `npx --yes --package ${generator} --package typescript@5.9.3 --`;

const compileAndRun = [
  'tsc client.ts --ignoreConfig --noEmit --allowImportingTsExtensions --strict --target es2024 --module preserve --types node',
  'esbuild client.ts --bundle --platform=node --format=esm --log-level=warning --outfile=client.mjs',
  'node client.mjs',
];

/** The commands that generate, compile and run a client. The last one prints what the client has read. */
const generators = {
  'openapi-typescript': [
    `${npx('openapi-typescript@7.13.0')} openapi-typescript openapi.json --output catalog.ts`,
    ...compileAndRun,
  ],
  'hey-api': [
    `${npx('@hey-api/openapi-ts@0.99.0')} openapi-ts --input openapi.json --output catalog`,
    ...compileAndRun,
  ],
  'openapi-python-client': [
    'python3 -m venv .',
    'pip install --quiet openapi-python-client==0.29.1',
    'openapi-python-client generate --path openapi.json --meta none --output-path catalog --fail-on-warning',
    'python client.py',
  ],
  'oapi-codegen': [
    'go mod init client',
    'go get github.com/oapi-codegen/runtime@v1.8.0',
    'go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package main -o catalog.go openapi.json',
    'go run .',
  ],
};

/** Single precision would lose cents of this price. */
const created = { name: 'Oak desk', value: 1_234_567.89, metadata: { size: { people: [4, 6] } } };
const updated = { ...created, value: 0, metadata: { ...created.metadata, color: 'black' } };
/**
 * What every client prints: the item when created, updated, read and listed, the longest name, how many items it finds by
 * two ids, of which one exists, and how many changes there are on a first page.
 */
const expected = [created, updated, updated, updated, limits.name.max, 1, 0];

type Printed = typeof created | number;
const compared = (printed: Printed) =>
  typeof printed === 'number' ? printed : { name: printed.name, value: printed.value, metadata: printed.metadata };

async function tryGenerator(name: string, commands: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const folder = join(root, '.local/generators', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'test/generators/clients', name), folder, { recursive: true });
  cpSync(join(root, 'openapi.json'), join(folder, 'openapi.json'));
  const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
  let printed = '';
  for (const command of commands) {
    const [program = '', ...args] = command.split(' ');
    const options = { cwd: folder, env: { ...process.env, ...env, PATH: path } };
    printed = (await promisify(execFile)(program, args, options)).stdout;
  }
  assert.deepEqual((JSON.parse(printed) as Printed[]).map(compared), expected);
}

const program = createProgram(
  'npm run nightly -- generators',
  'Has generators make clients of openapi.json, which must create, update, read and list items and changes of the local service.',
);
program.action(async () => {
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const { url, tokens, close } = await startService({ port: 0 });
  let failures = 0;
  for (const [name, commands] of Object.entries(generators)) {
    try {
      await tryGenerator(name, commands, { CATALOG_URL: url, CATALOG_TOKEN: tokens.editor });
      console.log(`${name}: creates, updates, reads and lists items and changes`);
    } catch (error) {
      failures += 1;
      console.error(`${name}:`, error);
    }
  }
  await close();
  process.exitCode = Math.min(failures, 1);
});
await runCommand(program);
