import './clock.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { variables } from '../../lib/runtime/environment.ts';
import { documentClient } from '../../lib/store/database/connect.ts';
import { Database } from '../../lib/store/database/database.ts';
import { checkOut } from '../../tools/cli/checkOut.ts';
import { setLocalCredentials } from '../../tools/cli/localCredentials.ts';
import { createProgram, runCommand } from '../../tools/cli/runCommand.ts';
import { startService } from '../../tools/local/startService.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import { relaxTimeouts } from '../support/relaxTimeouts.ts';
import type { Fixture } from './fixture.ts';
import { startLossyProxy } from './lossyProxy.ts';
import { writeRecords } from './writeRecords.ts';

const description = `Writes records of every kind with this version of the service, and its answers about them: renews the fixture that later versions must read, after a record's shape has changed.`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = 'test/records/records.json';

async function writeFixture(): Promise<Fixture> {
  const engine = await startOwnEngine();
  const proxy = await startLossyProxy(engine.dynamodb);
  try {
    process.env[variables.dynamodb] = proxy.url;
    const { url, table, close } = await startService({ port: 0, table: 'records' });
    const client = documentClient(new DynamoDBClient({ endpoint: engine.dynamodb }));
    const live = { engine, client, table, database: new Database(client, table) };
    return await writeRecords(live, url, proxy.loseAnswer).finally(close);
  } finally {
    delete process.env[variables.dynamodb];
    proxy.close();
    await engine.stop();
  }
}

/** JSON with one record or exchange a line. */
function textOf({ records, exchanges, ...others }: Fixture): string {
  const lines = (all: readonly object[]) => `[\n${all.map((one) => JSON.stringify(one)).join(',\n')}\n]`;
  const sorted = records.map((record) => Object.fromEntries(Object.entries(record).sort()));
  return `${JSON.stringify(others).slice(0, -1)},"records":${lines(sorted)},"exchanges":${lines(exchanges)}}\n`;
}

/** Runs the test of another commit on a fixture. Returns its exit code. */
function testAt(commit: string, fixture: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-records-'));
  const cwd = join(folder, 'commit');
  const { remove } = checkOut(root, commit, cwd);
  try {
    writeFileSync(join(cwd, file), fixture);
    const vitest = join(cwd, 'node_modules/vitest/vitest.mjs');
    return spawnSync(process.execPath, [vitest, 'run', 'test/records'], { cwd, stdio: 'inherit' }).status ?? 1;
  } finally {
    remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = createProgram('npm run generate -- records', description);
program
  .argument('[commit]', 'renew nothing, but test that the version at this commit reads these records')
  .action(async (commit) => {
    setLocalCredentials();
    relaxTimeouts();
    process.env['AWS_LAMBDA_LOG_LEVEL'] = 'ERROR';
    const fixture = textOf(await writeFixture());
    if (commit === undefined) writeFileSync(join(root, file), fixture);
    else process.exitCode = testAt(commit, fixture);
  });
await runCommand(program);
