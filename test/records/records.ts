import './clock.ts';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkOut } from '../../cli/checkOut.ts';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import { isJsonObject, type Json } from '../../lib/item/json.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { Database } from '../../lib/store/database/database.ts';
import { documentClient } from '../../lib/store/sdk/connect.ts';
import { startService } from '../../local/startService.ts';
import { relaxTimeouts } from '../support/setup/relaxTimeouts.ts';
import { startOwnEngine } from '../support/table/ownEngine.ts';
import type { Fixture } from './fixture.ts';
import { writeRecords } from './writeRecords.ts';

const description = `Writes records of every kind with this version of the service, and its responses about them: renews the fixture that later versions must read, after a record's shape has changed.`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = 'test/records/records.json';

/** Forwards requests to the engine. After `loseAnswer`, the next update takes effect, but its response is lost. */
async function startLossyProxy(engine: string) {
  let isLosing = false;
  const server = createServer((request, response) => {
    const { method, url, rawHeaders, headers } = request;
    const isLost = isLosing && String(headers['x-amz-target']).endsWith('.UpdateItem');
    if (isLost) isLosing = false;
    const outgoing = send(engine, { method, path: url, headers: rawHeaders }, (answer) => {
      if (isLost) response.destroy();
      else answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.rawHeaders));
    });
    request.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswer: () => {
      isLosing = true;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

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

/** A response without the members that an earlier one lacks. */
function withoutNew(answer: Json | undefined, earlier: Json | undefined): Json {
  if (Array.isArray(answer) && Array.isArray(earlier))
    return answer.map((one, index) => withoutNew(one, earlier[index]));
  if (!isJsonObject(answer) || !isJsonObject(earlier)) return answer ?? null;
  return Object.fromEntries(
    Object.keys(answer).flatMap((name) => (name in earlier ? [[name, withoutNew(answer[name], earlier[name])]] : [])),
  );
}

/** Runs the test of another commit on a fixture, without what its own responses lack. Returns its exit code. */
function testAt(commit: string, fixture: Fixture): number {
  const cwd = checkOut(root, commit);
  const own = JSON.parse(readFileSync(join(cwd, file), 'utf8')) as Fixture;
  const exchanges = fixture.exchanges.map((exchange, index) => {
    const { status, headers, body } = exchange.answer;
    return { ...exchange, answer: { status, headers, body: withoutNew(body, own.exchanges[index]?.answer.body) } };
  });
  writeFileSync(join(cwd, file), textOf({ ...fixture, exchanges: exchanges as Fixture['exchanges'] }));
  const vitest = join(cwd, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', 'test/records'], { cwd, stdio: 'inherit' }).status ?? 1;
}

const program = createProgram('npm run generate -- records', description);
program
  .argument('[commit]', 'renew nothing, but test that the version at this commit reads these records')
  .action(async (commit) => {
    setLocalCredentials();
    relaxTimeouts();
    process.env['AWS_LAMBDA_LOG_LEVEL'] = 'ERROR';
    const fixture = await writeFixture();
    if (commit === undefined) writeFileSync(join(root, file), textOf(fixture));
    else process.exitCode = testAt(commit, fixture);
  });
await runCommand(program);
