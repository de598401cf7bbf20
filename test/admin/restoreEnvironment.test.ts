import type { IncomingMessage } from 'node:http';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { RateLimiter } from '../../admin/table/rateLimiter.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { runAdminByLine } from '../support/programs/program.ts';
import { usesEmbeddedEngine } from '../support/setup/usesEmbeddedEngine.ts';
import { answering } from '../support/standIns/answering.ts';
import { copyOf } from '../support/table/restoredTables.ts';
import { batch, gone, guard, put, stored } from '../support/table/storedRecords.ts';
import { openTestCatalog, type TestTable } from '../support/table/testTable.ts';

const to = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');

let live: TestTable;
/** The table as it was at that time. */
let history: TestTable;

/**
 * AWS for one environment: its stack, its table in the engine, and point-in-time recovery, which the engine has not.
 */
async function startAws() {
  const actions: string[] = [];
  const restore = async ({ TargetTableName }: JsonObject): Promise<object> => {
    const table = String(TargetTableName);
    await live.client.send(new CreateTableCommand({ ...inject('tableSchema'), TableName: table }));
    await batch({ ...live, table }, (await stored(history)).map(put));
    return {};
  };
  const controls: Record<string, (body: JsonObject) => object | Promise<object>> = {
    RestoreTableToPointInTime: restore,
    DescribeContinuousBackups: () => ({
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription: { EarliestRestorableDateTime: 0, LatestRestorableDateTime: 2 ** 40 },
      },
    }),
    DescribeTimeToLive: () => ({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } }),
    UpdateTable: () => ({}),
    UpdateTimeToLive: () => ({}),
    UpdateContinuousBackups: () => ({}),
  };
  const url = await answering(async (request, response) => {
    const text = (await request.setEncoding('utf8').toArray()).join('');
    const action = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    if (action === undefined) return response.end(stackAnswer(live.table));
    const control = controls[action];
    if (control === undefined) {
      const { status, body } = await ask(request, text);
      return response.writeHead(status).end(action === 'DescribeTable' ? asRestored(body) : body);
    }
    actions.push(action);
    return response.end(JSON.stringify(await control(JSON.parse(text))));
  });
  return { url, actions };
}

const stackAnswer = (table: string): string => `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>
  <member><OutputKey>TableName</OutputKey><OutputValue>${table}</OutputValue></member>
  </Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;

async function ask({ headers }: IncomingMessage, body: string): Promise<{ status: number; body: string }> {
  const kept = ['x-amz-target', 'content-type', 'authorization', 'x-amz-date'].map((name) => [name, headers[name]]);
  const answer = await fetch(inject('dynamodb'), { method: 'POST', headers: Object.fromEntries(kept), body });
  return { status: answer.status, body: await answer.text() };
}

function asRestored(text: string): string {
  const { Table, ...failure } = JSON.parse(text);
  if (Table === undefined) return JSON.stringify(failure);
  const RestoreSummary = {
    SourceTableArn: `arn:aws:dynamodb:eu-central-1:1:table/${live.table}`,
    RestoreDateTime: Date.parse(to) / 1_000,
  };
  return JSON.stringify({ Table: { ...Table, RestoreSummary } });
}

const run = (url: string, ...args: string[]) =>
  runAdminByLine(['restore', '--env', 'prod', '--to', to.replace('Z', '.9Z'), '--rate', '10000', ...args], {
    env: { AWS_ENDPOINT_URL: url },
  });

// DynamoDB Local keeps the tables of each region apart.
describe.runIf(usesEmbeddedEngine)('npm run admin -- restore for an environment', () => {
  beforeAll(async () => {
    const { table, account, create } = await openTestCatalog('acme');
    live = table;
    for (const sku of ['S1', 'S2']) await create({ sku });
    history = await copyOf(live);
    // As if the restore held only a part of the transaction.
    await batch(history, [gone(keys.guard(account, 'sku', 'S2'))]);
    await batch(live, [gone(keys.item(account, 1))]);
  });

  it('restores its table once, protects, verifies and repairs the new one, and copies back at a given rate', async () => {
    const { url, actions } = await startAws();
    const target = `${live.table}-restored-${to.replace(/[-:]/g, '')}`;
    const restored = { ...live, table: target };
    const begun = [`Restoring ${live.table} as of ${to.replace('Z', '.000Z')} to ${target}.`, `Verifying ${target}.`];
    const found = 'Account "acme": item 2 has the sku "S2" without a guard.';
    const lost = (is: string) => `Account "acme": item 1 was missing and ${is} put back.`;
    const scanned = (findings: string) =>
      expect.stringMatching(new RegExp(`^\\d+ records scanned .*: ${findings}\\.$`));

    const dry = await run(url, '--dry-run');
    expect(dry).toMatchObject({ code: 1, err: [] });
    expect(dry.out.slice(0, -1)).toEqual([...begun, found, scanned('1 finding'), lost('would be')]);
    const protections = ['UpdateTable', 'DescribeTimeToLive', 'UpdateTimeToLive', 'UpdateContinuousBackups'];
    expect(actions).toEqual(['DescribeContinuousBackups', 'RestoreTableToPointInTime', ...protections]);
    expect(await allFindings(await stored(restored), Date.now())).toHaveLength(1);

    actions.length = 0;
    const prepared = await run(url, '--restore-only');
    expect(prepared).toMatchObject({ code: 0, err: [] });
    expect(prepared.out).toEqual([
      ...[...begun, `${found} Repaired: the guard was created.`, scanned('1 finding, 1 of them repaired')],
      `The table ${target} is ready; nothing was copied from it.`,
    ]);
    expect(actions).not.toContain('RestoreTableToPointInTime');
    expect(await allFindings(await stored(restored), Date.now())).toEqual([]);
    expect((await stored(live)).filter(({ sk }) => String(sk).startsWith('ITEM#'))).toHaveLength(1);

    const limited = vi.spyOn(RateLimiter.prototype, 'run');
    onTestFinished(() => limited.mockRestore());
    const done = await run(url);
    expect(new Set(limited.mock.contexts.map((one) => (one as RateLimiter).rate))).toEqual(new Set([10_000]));
    expect(done).toMatchObject({ code: 0, err: [] });
    expect(done.out).toEqual([
      ...[...begun, scanned('the table is consistent'), lost('is')],
      'Items compared: 2. Put back: 1. Kept with newer values: 0. Left to you: 0.',
      'Now verify the table: npm run admin -- verify --env prod --repair',
    ]);
    expect(await allFindings(await stored(live), Date.now())).toEqual([]);
  });

  it('protects, verifies and repairs a table restored from a backup, however many guards are left over', async () => {
    const { url, actions } = await startAws();
    const backup = await copyOf(live);
    const leftOver = [11, 12, 13, 14, 15, 16].map((id) => guard('acme', 'sku', `L${id}`, id));
    await batch(backup, [gone(keys.guard('acme', 'sku', 'S2')), ...leftOver.map(put)]);
    const { code, out, err } = await run(url, '--from', backup.table, '--restore-only');
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(out[0]).toBe(`Protecting ${backup.table} against loss.`);
    expect(out.join()).not.toContain('Items may be lost');
    expect(out.at(-1)).toBe(`The table ${backup.table} is ready; nothing was copied from it.`);
    expect(actions).toEqual(['UpdateTable', 'DescribeTimeToLive', 'UpdateTimeToLive', 'UpdateContinuousBackups']);
    expect(await allFindings(await stored(backup), Date.now())).toEqual([]);
    // A deleted table that was restored under its own name.
    expect(await run(url, '--from', live.table, '--restore-only')).toMatchObject({ code: 0, err: [] });
  });
});
