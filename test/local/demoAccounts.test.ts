import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { listTokens, revokeTokens, showAccount } from '../../admin/accounts/accounts.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { openDemoAccounts } from '../../local/demoAccounts.ts';
import { operatorOf } from '../admin/operator.ts';
import { temporaryFolder } from '../support/programs/program.ts';
import { spyOnDatabase } from '../support/table/spyOnDatabase.ts';
import { createTestTable, type TestTable } from '../support/table/testTable.ts';

afterEach(() => void vi.restoreAllMocks());

const work = () => timedContext(Date.now() + 8_000);

/** A table, and a function that sets up the demo accounts on it with their tokens in a file. */
async function dataFolder() {
  const table = await createTestTable();
  const tokensFile = join(temporaryFolder(), 'tokens.json');
  return {
    table,
    tokensFile,
    start: () => openDemoAccounts({ dynamodb: inject('dynamodb'), table: table.table, tokensFile }),
  };
}

/** An account without its category ids, since an interruption may skip an id. */
async function shown({ database }: TestTable, account: string) {
  const { categories, defaultCategory, defaultTax } = await showAccount(database.for(work()), account);
  return {
    open: [...categories.values()].flatMap(({ name, archived }) => (archived ? [] : [name])),
    archived: [...categories.values()].flatMap(({ name, archived }) => (archived ? [name] : [])),
    byDefault: categories.get(defaultCategory ?? 0)?.name,
    defaultTax,
  };
}

const whole = {
  'demo-1': { open: ['General', 'Furniture', 'Services'], archived: ['Old'], byDefault: 'General', defaultTax: 0 },
  'demo-2': { open: ['General'], archived: [], byDefault: 'General', defaultTax: 2.5 },
};

describe('the demo accounts', () => {
  test('are created once and keep their tokens', async () => {
    const { table, start, tokensFile } = await dataFolder();
    const tokens = await start();
    const before = await table.records();
    expect(statSync(tokensFile).mode & 0o777).toBe(0o600);
    expect(await start()).toEqual(tokens);
    expect(await table.records()).toEqual(before);
    const { categories } = await showAccount(table.database.for(work()), 'demo-1');
    expect([...categories].map(([id, { name }]) => [id, name]).sort()).toEqual([
      [1, 'General'],
      [2, 'Furniture'],
      [3, 'Services'],
      [4, 'Old'],
    ]);
  });

  test('are completed if an earlier start was interrupted at any DynamoDB request', async () => {
    const death = Object.assign(new Error('dead'), { name: 'AccessDeniedException' });
    for (let requests = 0, isWhole = false; !isWhole; requests += 1) {
      const { table, start } = await dataFolder();
      const dying = spyOnDatabase((nth) => (nth > requests ? death : undefined));
      isWhole = await start().then(
        () => true,
        () => false,
      );
      dying.mockRestore();
      const tokens = await start();
      for (const [account, expected] of Object.entries(whole))
        expect(await shown(table, account), `after ${requests} requests`).toEqual(expected);
      expect(await operatorOf(table).callerOf(tokens.otherAccount)).toMatchObject({ account: 'demo-2' });
    }
  });

  test("keep an operator's changes", async () => {
    const { table, start } = await dataFolder();
    await start();
    const session = table.database.for(work());
    await configureAccount(session, 'demo-1').changeCategory(2, { name: 'Tables' });
    for (const { id } of await listTokens(session, 'demo-1')) await revokeTokens(session, 'demo-1', ['id', id]);
    const before = await showAccount(session, 'demo-1');
    await start();
    expect(await showAccount(session, 'demo-1')).toEqual(before);
  });
});

describe('the demo tokens', () => {
  test('are reissued once they have expired', async () => {
    const { table, start } = await dataFolder();
    const tokens = await start();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 366 * 24 * 60 * 60 * 1000 });
    const renewed = await start();
    expect(Object.keys(renewed)).toEqual(Object.keys(tokens));
    expect(await operatorOf(table).callerOf(tokens.editor)).toBeUndefined();
    expect(await operatorOf(table).callerOf(renewed.editor)).toMatchObject({ account: 'demo-1', user: 'editor' });
    expect(await start()).toEqual(renewed);
  });

  test('are reissued individually after they were revoked', async () => {
    const { table, start } = await dataFolder();
    const tokens = await start();
    const entries = await listTokens(table.database.for(work()), 'demo-1');
    const reader = entries.find(({ user }) => user === 'reader');
    await revokeTokens(table.database.for(work()), 'demo-1', ['id', reader?.id ?? '']);
    expect(await start()).toEqual({ ...tokens, reader: expect.not.stringMatching(tokens.reader) });
  });

  test('cause an error that names a file that cannot be read', async () => {
    const { tokensFile, start } = await dataFolder();
    await start();
    writeFileSync(tokensFile, readFileSync(tokensFile, 'utf8').slice(0, -1));
    await expect(start()).rejects.toThrow(
      `The tokens in ${tokensFile} cannot be read; delete the file to get new ones.`,
    );
  });
});
