import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { issueToken, openAccount } from '../../admin/accounts/accounts.ts';
import { closingTime, deleteAccount, type Removed } from '../../admin/accounts/deleteAccount.ts';
import { RateLimiter } from '../../admin/table/rateLimiter.ts';
import { createItem } from '../../lib/catalog/createItem.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { getRecord } from '../../lib/store/database/database.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { operatorOf } from '../admin/operator.ts';
import { allFindings, unlimited } from '../support/damage/verifier.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { changeRecords, createTables, itemAt, recorder, streamRecord } from '../support/table/changeStream.ts';
import { count, fill, stored } from '../support/table/storedRecords.ts';
import { openTestAccount, type TestTable, testCall } from '../support/table/testTable.ts';
import { atVirtualTime, type SentCommand } from '../support/time/virtualTime.ts';

const limiter = unlimited();

async function withToken(table: TestTable): Promise<string> {
  const account = await fill(table);
  const caller = { account, user: 'ann', permissions: [], expiresAt: Math.floor(Date.now() / 1000) + 3_600 };
  await issueToken(table.database.for(timedContext(Date.now() + 60_000)), caller, Date.now());
  return account;
}

const of = (account: string, records: readonly JsonObject[]) =>
  records.filter((record) => JSON.stringify(record).includes(account));

describe('deleting an account', () => {
  it('waits 85 seconds before it deletes, as the pages say', () => expect(closingTime).toBe(85_000));

  it('removes all of its records, and no others', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    // Its id begins with the other's.
    const other = `${account}0`;
    await openAccount(table.database.for(timedContext(Date.now() + 60_000)), other);
    await withToken(table);
    const before = await stored(table);
    const removed: Removed = {};
    await deleteAccount({ ...atVirtualTime(table), limiter }, account, removed);
    const kept = before.filter((record) => !of(account, [record]).length || of(other, [record]).length);
    expect(await stored(table)).toEqual(kept);
    expect(removed).toMatchObject({
      item: count,
      guard: 1.8 * count,
      token: 1,
      'token entry': 1,
      counter: 1,
      category: 2,
      unit: 12,
    });
    expect(await allFindings(await stored(table), Date.now())).toEqual([]);
  });

  it('leaves nothing of what warm containers write at full speed until their caches end', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    const work = atVirtualTime(table, { hasOthers: true });
    const container = dynamoItemWriter(work.database);
    const { item } = await createItem(container(testCall(account)), { name: 'First' });
    let [isOver, written, refused, afterClosing] = [false, 0, 0, 0];
    const writer = async (name: string) => {
      while (!isOver) {
        const store = container({ ...testCall(account), deadline: work.database.clock.now() + 8_000 });
        const isClosed =
          (await getRecord(table.database.for(timedContext(Date.now() + 60_000)), keys.closure(account))) !== undefined;
        const create = createItem(store, { name, sku: `${name} ${written}` }, `${name} ${written}`);
        const update = updateItem(store, { id: item.id, body: { value: written }, revisions: undefined });
        written += 1;
        for (const { status } of await Promise.allSettled([create, update]))
          if (status === 'rejected') refused += 1;
          else if (isClosed) afterClosing += 1;
        await sleep(0);
      }
    };
    const writers = [writer('a'), writer('b')];
    await deleteAccount({ ...work, limiter }, account, {});
    isOver = true;
    await Promise.all(writers);
    expect(afterClosing).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(of(account, await stored(table))).toEqual([]);
    expect(await allFindings(await stored(table), Date.now())).toEqual([]);
  });

  it.each([
    ['with a clock that agrees with DynamoDB', 0],
    ['with a clock 8 seconds behind', -8_000],
    ['with a clock an hour ahead', 3_600_000],
  ])('removes its changes, and leaves none that is delivered during or after that, %s', async (_clock, ahead) => {
    const { table, changes } = await createTables();
    const [account, other] = [await withToken(table), `${await withToken(table)}0`];
    const record = recorder(changes);
    const isClosed = ({ input }: SentCommand) => (input['Item'] as JsonObject | undefined)?.['closed_until'];
    // Before the last page is followed by the final closing, another one is delivered.
    const before = async (command: SentCommand) =>
      isClosed(command) && (await record([streamRecord(account, 9_997, { before: early }, work.now())]));
    const work = atVirtualTime(table, { ahead, hasOthers: true, before });
    const [early, late] = [itemAt(1, 1), itemAt(2, 1)];
    for (const id of [account, other]) await record([streamRecord(id, 1, { after: early })]);
    const removed: Removed = {};
    const deletedAt = work.now() + closingTime;
    let isOver = false;
    // Until it is over, the stream delivers what is deleted.
    const delivered = (async () => {
      for (let sequence = 2; !isOver; sequence += 1) {
        await record([streamRecord(account, sequence, { before: early }, deletedAt)]);
        // On a busy machine, it would otherwise deliver as fast as the deletion deletes.
        await sleep(10);
      }
    })();
    await deleteAccount({ ...work, limiter }, account, removed);
    isOver = true;
    await delivered;
    expect(removed['change']).toBeGreaterThanOrEqual(2);
    await record([streamRecord(account, 9_998, { before: late }, work.now() - 2 * timeouts.clockSkew)]);
    const left = [...(await changeRecords(changes, account)).values()];
    expect(left).toEqual([expect.objectContaining({ sk: 'COUNTER' })]);
    const kept = Number(left[0]?.['expires_at']) * 1_000 - work.now();
    expect(kept / 24 / 60 / 60 / 1_000).toBeCloseTo(2, 1);
    expect(await changeRecords(changes, other)).toHaveProperty('size', 3);
    // The account can be opened again.
    await record([streamRecord(account, 1, { after: late }, work.now() - timeouts.clockSkew)]);
    const [change, counter] = [...(await changeRecords(changes, account)).values()];
    expect(change).toMatchObject({ item: 2, kind: 'created' });
    expect(counter).not.toHaveProperty('expires_at');
  });

  it('by its command needs its id to be typed', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    const before = await stored(table);
    const deleting = (typed: string) => {
      const operator = operatorOf({ ...table, ...atVirtualTime(table) }, async () => typed);
      return operator.run('account delete', { account, rate: '100000' });
    };
    await expect(deleting('yes')).rejects.toThrow('Nothing was deleted');
    expect(await stored(table)).toEqual(before);
    expect((await deleting(account)).text).toMatch(
      new RegExp(`^The account ${account} was deleted: .*${count} of the kind item.*\\. It cannot be restored\\.$`),
    );
    expect(await stored(table)).toEqual([]);
  });

  it('continues when the table has not answered for half a minute', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    let began: number | undefined;
    const work = atVirtualTime(table, {
      before: (command) => {
        if (command.constructor.name === 'DeleteCommand') began ??= work.now();
        // Its client does not retry the pages of a scan as the operator's does.
        const isPage = command.constructor.name === 'ScanCommand';
        if (began !== undefined && work.now() < began + 30_000 && !isPage) throw sdkError('TimeoutError', 0);
      },
    });
    await deleteAccount({ ...work, limiter: new RateLimiter(100_000, work.database.clock) }, account, {});
    expect(of(account, await stored(table))).toEqual([]);
  });

  it('can be killed at each third point, and done by an operator with another clock, who waits long enough', async () => {
    const { table, changes } = await createTables();
    for (let point = 0, wasKilled = true; wasKilled; point += 3) {
      const account = await openTestAccount(table);
      await createItem(dynamoItemWriter(table.database)(testCall(account)), { name: 'Item', sku: 'S' });
      await recorder(changes)([streamRecord(account, 1, { after: itemAt(1, 1) })]);
      let [sent, closedAt, deletedAt] = [0, 0, Number.POSITIVE_INFINITY];
      wasKilled = false;
      const before = ({ constructor: { name } }: SentCommand) => {
        wasKilled ||= sent === point;
        if (sent++ === point) throw new Error('killed');
        if (name === 'TransactWriteCommand') closedAt = work.now();
        if (name === 'DeleteCommand') deletedAt = Math.min(deletedAt, work.now());
      };
      const work = atVirtualTime(table, { before });
      await deleteAccount({ ...work, limiter }, account, {}).catch((error) => expect(error.message).toBe('killed'));
      if (wasKilled) {
        work.ahead += point % 2 === 0 ? 3_600_000 : -3_600_000;
        await deleteAccount({ ...work, limiter }, account, {}).catch((error) =>
          expect(error.message).toMatch(/no account/),
        );
      }
      expect(deletedAt - closedAt).toBeGreaterThanOrEqual(closingTime);
      expect(of(account, await stored(table))).toEqual([]);
      expect([...(await changeRecords(changes, account)).keys()]).toEqual(['COUNTER']);
    }
  });

  it.each([
    ['waiting', () => true],
    ['reading', ({ constructor: { name } }: SentCommand) => name === 'ScanCommand'],
    ['deleting changes', ({ constructor: { name } }: SentCommand) => name === 'QueryCommand'],
  ])('leaves the account alone that was opened again while it was %s, as another run had ended', async (_, isHere) => {
    const { table, changes } = await createTables();
    const account = await openTestAccount(table);
    await createItem(dynamoItemWriter(table.database)(testCall(account)), { name: 'Item' });
    let opened: Promise<JsonObject[]> | undefined;
    const openAgain = async () => {
      await deleteAccount({ ...atVirtualTime(table), limiter }, account, {});
      await openAccount(table.database.for(timedContext(Date.now() + 60_000)), account);
      await createItem(dynamoItemWriter(table.database)(testCall(account)), { name: 'Item' });
      await recorder(changes)([streamRecord(account, 2, { after: itemAt(2, 1) }, Date.now() + 3_600_000)]);
      return [...(await table.records()), ...(await changes.records())];
    };
    let isClosed = false;
    const before = async (command: SentCommand) => {
      if (isClosed && isHere(command)) {
        opened ??= openAgain();
        await opened;
      }
      isClosed ||= command.constructor.name === 'TransactWriteCommand';
    };
    await expect(deleteAccount({ ...atVirtualTime(table, { before }), limiter }, account, {})).rejects.toThrow(
      `The account ${account} was deleted meanwhile by another operator.`,
    );
    expect([...(await table.records()), ...(await changes.records())]).toEqual(await opened);
  });

  it('continues where it was interrupted, and the account cannot be opened until it is done', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    let wasKilled = false;
    const before = ({ constructor: { name } }: SentCommand) => {
      if (wasKilled || name !== 'DeleteCommand') return;
      wasKilled = true;
      throw new Error('killed');
    };
    const work = atVirtualTime(table, { before });
    const began = work.database.clock.now();
    await expect(deleteAccount({ ...work, limiter }, account, {})).rejects.toThrow('killed');
    expect(of(account, await stored(table)).length).toBeGreaterThan(0);
    const session = table.database.for(timedContext(Date.now() + 60_000));
    await expect(openAccount(session, account)).rejects.toThrow('is being deleted');
    const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => {
      printed.mockRestore();
      process.exitCode = undefined;
    });
    const advice = `continue with 'account delete --account ${account}'`;
    expect(await operatorOf(table).unwrap('account list', {})).toEqual([]);
    expect(process.exitCode).toBe(1);
    expect(printed.mock.calls.join()).toContain(advice);
    await expect(operatorOf(table).run('account show', { account })).rejects.toThrow(advice);
    await deleteAccount({ ...work, limiter }, account, {});
    // The second run has not waited again.
    expect(work.database.clock.now() - began).toBeLessThan(closingTime + 30_000);
    expect(of(account, await stored(table))).toEqual([]);
    await expect(deleteAccount({ ...work, limiter }, account, {})).rejects.toThrow(`There is no account ${account}.`);
    await openAccount(session, account);
  });
});
