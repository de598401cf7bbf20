import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { closedCounter } from '../../lib/changes/changeRecord.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { changeRecords, itemAt, recordedChanges, recorder, streamRecord } from '../support/table/changeStream.ts';
import { batch, put } from '../support/table/storedRecords.ts';
import { createTestTable, type TestTable } from '../support/table/testTable.ts';

const table = createTestTable();

/** An account, and the function that records its changes. */
async function start() {
  const [changes, account] = [await table, randomUUID()];
  return { changes, account, record: recorder(changes), recorded: () => recordedChanges(changes, account) };
}

describe('the changes of an account', () => {
  it('have what each write changed, its user and its time, in the order of the stream', async () => {
    const { account, record, recorded } = await start();
    const removedAt = Date.UTC(2026, 10, 22);
    const created = itemAt(7, 1, {}, 1_000_000_000_000);
    // By a clock that is behind.
    const updated = itemAt(7, 2, { value: 5, metadata: { legs: 4 } }, 900_000_000_000);
    // Only what clients do not set is different.
    const fenced = { ...updated, revision: 3 };
    await record([
      streamRecord(account, 1, { after: created }),
      streamRecord(account, 2, { before: created, after: updated }),
      streamRecord(account, 3, { before: updated, after: fenced }),
      streamRecord(account, 4, { after: itemAt(8, 1, { name: 'Desk' }) }),
      streamRecord(account, 5, { before: fenced }, removedAt),
    ]);
    const all = await recorded();
    expect(all.map(({ item, kind, revision, updated_by }) => [item, kind, revision, updated_by])).toEqual([
      [7, 'created', 1, 'user-1'],
      [7, 'updated', 2, 'user-1'],
      [8, 'created', 1, 'user-1'],
      [7, 'removed', 3, 'operator'],
    ]);
    expect(all.map(({ number }) => Number(number) - Number(all[0]?.['number']))).toEqual([0, 1, 2, 3]);
    expect([all[1]?.['updated_at'], all[3]?.['updated_at']]).toEqual([900_000_000_000, removedAt]);
    expect(all[1]?.['fields']).toEqual([
      { field: 'value', from: 0, to: 5 },
      { field: 'metadata', key: 'legs', from: null, to: 4 },
    ]);
  });

  it('are kept apart from those of other accounts in the same batch, and other records have none', async () => {
    const [one, other] = [await start(), await start()];
    const after = itemAt(1, 1);
    const guard = streamRecord(one.account, 4, { after });
    await one.record([
      streamRecord(one.account, 1, { after }),
      streamRecord(other.account, 2, { after }),
      streamRecord(one.account, 3, { before: after }),
      { dynamodb: { ...guard.dynamodb, Keys: { pk: { S: `ACCOUNT#${one.account}#SKU#A` }, sk: { S: 'GUARD' } } } },
    ]);
    expect(await one.recorded()).toHaveLength(2);
    expect(await other.recorded()).toHaveLength(1);
  });

  it('have no values if they are too large for a page of such changes', async () => {
    const { account, record, recorded } = await start();
    const [before, after] = ['a', 'b'].map((letter) => itemAt(1, 1, { description: letter.repeat(20_000) }));
    const larger = after && { ...after, metadata: { text: 'c'.repeat(20_000) } };
    await record([streamRecord(account, 1, { before, after }), streamRecord(account, 2, { before, after: larger })]);
    const [kept, large] = await recorded();
    expect(kept?.['fields']).toEqual([{ field: 'description', from: before?.description, to: after?.description }]);
    expect(large?.['fields']).toEqual([{ field: 'description' }, { field: 'metadata', key: 'text' }]);
  });

  it('have no values if an image cannot be read, which is reported, and do not hold up the others', async () => {
    const { account, changes, recorded } = await start();
    const reported: unknown[] = [];
    const record = recorder(changes, {}, (unreadable, { name }) => reported.push([unreadable, name]));
    const [before, after] = [itemAt(1, 1), itemAt(1, 2, { value: 5 })];
    const damaged = (sequence: number, name: string, value: AttributeValue) => {
      const { dynamodb } = streamRecord(account, sequence, { before, after });
      return { dynamodb: { ...dynamodb, NewImage: { ...dynamodb?.NewImage, [name]: value } } } as DynamoDBRecord;
    };
    await record([
      damaged(1, 'value', { S: 'much' }),
      damaged(2, 'revision', { S: 'two' }),
      streamRecord(account, 3, { before, after }),
    ]);
    const fields = fieldNames.map((field) => ({ field }));
    const all = await recorded();
    expect(all.slice(0, 2).map((change) => change['fields'])).toEqual([fields, fields]);
    expect(all).toMatchObject([
      { item: 1, kind: 'updated', revision: 2 },
      { item: 1, kind: 'updated', revision: 0 },
      { item: 1, revision: 2, fields: [{ field: 'value', from: 0, to: 5 }] },
    ]);
    expect(reported).toEqual(['1', '2'].map((sequence) => [{ account, item: 1, sequence }, expect.any(String)]));
  });

  it('of the heartbeat expire after a day', async () => {
    const { changes, record } = await start();
    await record([streamRecord('heartbeat', 1, { after: itemAt(1, 1) })]);
    const [change] = [...(await changeRecords(changes, 'heartbeat')).values()];
    const day = 24 * 60 * 60;
    expect(Math.abs(Number(change?.['expires_at']) - Date.now() / 1_000 - day)).toBeLessThan(day / 2);
  });

  it('expire together with the days of the setting, but not their counter', async () => {
    const { account, changes, record } = await start();
    await record([streamRecord(account, 1, { after: itemAt(1, 1) })]);
    const [change, counter, ofItem] = [...(await changeRecords(changes, account)).values()];
    const [expiry, days] = [Number(change?.['expires_at']), 7 * 24 * 60 * 60];
    expect(ofItem?.['expires_at']).toBe(expiry);
    expect(Math.abs(expiry - Date.now() / 1_000 - days)).toBeLessThan(days / 2);
    expect(counter).not.toHaveProperty('expires_at');
  });
});

it('a write is not recorded if the account was deleted after it, also if its counter was read before', async () => {
  const { account, changes, record, recorded } = await start();
  await record([streamRecord(account, 1, { after: itemAt(1, 1) })]);
  const until = Date.UTC(2026, 10, 22);
  const send = async (command: object) => {
    if (command instanceof TransactWriteCommand) await batch(changes, [put(closedCounter(account, until, Date.now()))]);
    return Reflect.apply(changes.client.send, changes.client, [command]);
  };
  const late = recorder({ client: { send } as Database['client'], table: changes.table });
  await late([streamRecord(account, 2, { after: itemAt(2, 1) }, until)]);
  expect(await recorded()).toHaveLength(1);
  await record([streamRecord(account, 3, { after: itemAt(3, 1) }, until + 1_000)]);
  expect(await recorded()).toHaveLength(2);
});

describe('a function that is killed', () => {
  const items = Array.from({ length: 60 }, (_, index) => itemAt(index + 1, 1));
  /** Dies when a call of DynamoDB has taken effect. Before the next one, nothing is different. */
  function dying({ client, table: name }: TestTable, last: number) {
    let calls = 0;
    const send = async (...args: unknown[]) => {
      calls += 1;
      const output = await Reflect.apply(client.send, client, args);
      if (calls === last) throw new Error('killed');
      return output;
    };
    return recorder({ client: { send } as Database['client'], table: name });
  }

  it.each([1, 2, 3, 4, 5, 6])(
    'after call %i of DynamoDB leaves out no change and records none twice when it is called again',
    async (call) => {
      const { account, changes, record, recorded } = await start();
      const records = items.map((after, index) => streamRecord(account, index + 1, { after }));
      await expect(dying(changes, call)(records)).rejects.toThrow('killed');
      for (const _ of [1, 2]) await record(records);
      expect((await recorded()).map(({ item }) => item)).toEqual(items.map(({ id }) => id));
    },
  );
});
