import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createItem } from '../../lib/catalog/createItem.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { applyAccount } from '../../lib/operator/accountDocument/applyAccount.ts';
import { openAccount } from '../../lib/operator/accounts.ts';
import type { Removed } from '../../lib/operator/deleteAccount.ts';
import { closingTime, deleteAccount } from '../../lib/operator/deleteAccount.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import { Database } from '../../lib/store/database/database.ts';
import { getRecord } from '../../lib/store/database/reads.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { changeRecords, createTables, itemAt, recorder, streamRecord } from '../support/changeStream.ts';
import { dynamoCatalogStore } from '../support/dynamoCatalogStore.ts';
import { count, fill, stored } from '../support/storedRecords.ts';
import type { TestTable } from '../support/testTable.ts';
import { testCall } from '../support/testTable.ts';
import { unlimited, verifier } from '../support/verifier.ts';
import { operatorOf } from '../tools/admin/operator.ts';

const pace = { segments: 4, limiter: unlimited() };

/** A table at a virtual time, which passes in steps while somebody sleeps, and in which others then do something. */
function atVirtualTime({ client, table }: TestTable) {
  let now = Date.now();
  const pass = async (milliseconds: number) => {
    for (const end = now + milliseconds; now < end; ) {
      now = Math.min(now + 1_000, end);
      await sleep(1);
    }
  };
  return {
    database: new Database(client, table, { now: () => now, random: Math.random, sleep: pass }),
    source: { client, table },
  };
}

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
    await deleteAccount(atVirtualTime(table), account, pace, removed);
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
    expect(await verifier(table).verify()).toEqual([]);
  });

  it('leaves nothing of what warm containers write at full speed until their caches end', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    const work = atVirtualTime(table);
    const container = dynamoCatalogStore(work.database);
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
    await deleteAccount(work, account, pace, {});
    isOver = true;
    await Promise.all(writers);
    expect(afterClosing).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(of(account, await stored(table))).toEqual([]);
    expect(await verifier(table).verify()).toEqual([]);
  });

  it('removes its changes, and leaves none of what the stream delivers while or after it is deleted', async () => {
    const { table, changes } = await createTables();
    const [account, other] = [await withToken(table), `${await withToken(table)}0`];
    const work = atVirtualTime(table);
    const record = recorder(changes);
    const [early, late] = [itemAt(1, 1), itemAt(2, 1)];
    for (const id of [account, other]) await record([streamRecord(id, 1, { after: early })]);
    const removed: Removed = {};
    const deletedAt = work.database.clock.now() + closingTime;
    let isOver = false;
    // Until it is over, the stream delivers what is deleted.
    const delivered = (async () => {
      for (let sequence = 2; !isOver; sequence += 1) {
        await record([streamRecord(account, sequence, { before: early }, deletedAt)]);
        await sleep(0);
      }
    })();
    await deleteAccount(work, account, pace, removed);
    isOver = true;
    await delivered;
    expect(removed['change']).toBeGreaterThanOrEqual(2);
    await record([streamRecord(account, 9_998, { before: late }, deletedAt)]);
    const left = [...(await changeRecords(changes, account)).values()];
    expect(left).toEqual([expect.objectContaining({ sk: 'COUNTER' })]);
    const kept = Number(left[0]?.['expires_at']) * 1_000 - work.database.clock.now();
    expect(kept / 24 / 60 / 60 / 1_000).toBeCloseTo(2, 1);
    expect(await changeRecords(changes, other)).toHaveProperty('size', 3);
    // The account can be opened again.
    await record([streamRecord(account, 1, { after: late }, work.database.clock.now() - timeouts.clockSkew)]);
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

  it('goes on where it was interrupted, and the account cannot be opened until it is done', async () => {
    const { table } = await createTables();
    const account = await withToken(table);
    const work = atVirtualTime(table);
    const began = work.database.clock.now();
    let left = 3;
    const failing = {
      client: {
        send: async (...args: unknown[]) => {
          if (left-- === 0) throw new Error('killed');
          return Reflect.apply(table.client.send, table.client, args);
        },
      } as never,
      table: table.table,
    };
    await expect(deleteAccount({ ...work, source: failing }, account, { ...pace, segments: 1 }, {})).rejects.toThrow(
      'killed',
    );
    expect(of(account, await stored(table)).length).toBeGreaterThan(0);
    const session = table.database.for(timedContext(Date.now() + 60_000));
    await expect(openAccount(session, account)).rejects.toThrow(`The account ${account} is being deleted.`);
    await expect(applyAccount(session, { account })).rejects.toThrow('/account is being deleted');
    await deleteAccount(work, account, pace, {});
    // The second run has not waited again.
    expect(work.database.clock.now() - began).toBeLessThan(closingTime + 30_000);
    expect(of(account, await stored(table))).toEqual([]);
    await expect(deleteAccount(work, account, pace, {})).rejects.toThrow(`There is no account ${account}.`);
    await openAccount(session, account);
  });
});
