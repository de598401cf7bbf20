import * as dynamo from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { skipChanges } from '../../admin/items/changesCommand.ts';
import { dynamoChangeReader } from '../../lib/changes/dynamoChangeReader.ts';
import type { RecordedChange } from '../../lib/changes/recordedChange.ts';
import { Database } from '../../lib/store/database/database.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { changeKeys } from '../../lib/store/records/keys.ts';
import { createTables, itemAt, recorder, streamRecord } from '../support/table/changeStream.ts';
import { openTestAccount, testCall } from '../support/table/testTable.ts';

const tables = createTables();

/** An open account, the function that records its changes, and a container that lists them. */
async function start(read?: Database['client']['send'], now = Date.now) {
  const { table, changes } = await tables;
  const account = await openTestAccount(table);
  const client = read === undefined ? table.client : { send: read };
  const database = new Database(client, table.table, { ...table.database.clock, now });
  const reader = dynamoChangeReader(database)({ ...testCall(account), deadline: now() + 60_000 });
  const { listItemChanges: ofItem, findChange } = reader;
  const list = (from: number | undefined, limit = 100) => reader.listChanges(from, limit);
  const target = (number: number) => ({ TableName: changes.table, Key: changeKeys.change(account, number) });
  return {
    account,
    changes,
    record: recorder(changes),
    list,
    ofItem,
    findChange,
    skip: () => skipChanges(database, account),
    remove: ({ number }: RecordedChange) => changes.client.send(new dynamo.DeleteCommand(target(number))),
    expire: (change: RecordedChange | { readonly Key: Key }) => {
      const { Key } = 'Key' in change ? change : target(change.number);
      const past = { UpdateExpression: 'SET expires_at = :past', ExpressionAttributeValues: { ':past': 1 } };
      return changes.client.send(new dynamo.UpdateCommand({ TableName: changes.table, Key: { ...Key }, ...past }));
    },
  };
}

/** Ten changes, as somebody has read them who began before there were any. */
async function ten(read?: Database['client']['send']) {
  const started = await start(read);
  const { next: beginning } = await started.list(undefined);
  const created = Array.from({ length: 10 }, (_, index) => itemAt(index + 1, 1));
  await started.record(created.map((after, index) => streamRecord(started.account, index + 1, { after })));
  const { changes: all } = await started.list(beginning);
  return { ...started, beginning, all: all as [RecordedChange, ...RecordedChange[]], first: all[0]?.number ?? 0 };
}

const expired = { code: 'CHANGES_EXPIRED' };

describe('a walk', () => {
  it('begins with what changes from now on, even if nothing has changed before, and continues in pages', async () => {
    const { list, all, first, account, record } = await ten();
    expect(all.map(({ item, number }) => [item, number - first])).toEqual(all.map((_, index) => [index + 1, index]));
    expect(await list(first, 4)).toEqual({ changes: all.slice(0, 4), next: first + 4, hasMore: true });
    expect(await list(first + 6, 4)).toEqual({ changes: all.slice(6), next: first + 10, hasMore: true });
    expect(await list(first + 6, 5)).toEqual({ changes: all.slice(6), next: first + 10, hasMore: false });
    for (const end of [undefined, first + 10])
      expect(await list(end)).toEqual({ changes: [], next: first + 10, hasMore: false });
    await record([streamRecord(account, 11, { after: itemAt(11, 1) })]);
    expect((await list(first + 10)).changes).toMatchObject([{ item: 11 }]);
  });

  it('ends with an error if its next change has expired, deleted or not', async () => {
    const { all, beginning, expire, first, list, remove } = await ten();
    const [one, two] = all;
    await remove(one);
    if (two !== undefined) await expire(two);
    for (const from of [beginning, first, first + 1]) await expect(list(from)).rejects.toMatchObject(expired);
    expect((await list(first + 2)).changes).toEqual(all.slice(2));
    await expect(list(first + 11)).rejects.toMatchObject(expired);
  });

  it('passes no hole, even if changes are not deleted in their order', async () => {
    const { all, first, list, remove } = await ten();
    if (all[4] !== undefined) await remove(all[4]);
    expect(await list(first + 2)).toEqual({ changes: all.slice(2, 4), next: first + 4, hasMore: false });
    await expect(list(first + 4)).rejects.toMatchObject(expired);
  });

  it('waits if a query sees only a part of a transaction', async () => {
    const { table } = await tables;
    let hidden: readonly number[] = [];
    const read = async (...[command]: unknown[]) => {
      const output = await Reflect.apply(table.client.send, table.client, [command]);
      if (!(command instanceof dynamo.QueryCommand) || !command.input.TableName?.endsWith('-changes')) return output;
      // A query that is not strongly consistent may see nothing of what was just written.
      const isSeen = (_: unknown, index: number) => command.input.ConsistentRead && !hidden.includes(index);
      return { ...output, Items: output.Items.filter(isSeen) };
    };
    const { all, first, list } = await ten(read as Database['client']['send']);
    hidden = [1];
    expect(await list(first, 3)).toEqual({ changes: all.slice(0, 1), next: first + 1, hasMore: false });
    hidden = [0, 1, 2];
    expect(await list(first + 1, 3)).toEqual({ changes: [], next: first + 1, hasMore: false });
    hidden = [];
    expect((await list(first + 1, 3)).changes).toEqual(all.slice(1, 4));
  });
});

it('a walk through large changes has short pages, of which all but the last say that more follow', async () => {
  const { account, list, record } = await start();
  const { next: beginning } = await list(undefined);
  const large = Array.from({ length: 30 }, (_, index) => itemAt(index + 1, 1, { description: 'é'.repeat(20_000) }));
  await record(large.map((after, index) => streamRecord(account, index + 1, { after })));
  const first = await list(beginning);
  expect([first.changes.length < 30, first.hasMore]).toEqual([true, true]);
  const rest = await list(first.next);
  expect([...first.changes, ...rest.changes].map(({ item }) => item)).toEqual(large.map(({ id }) => id));
  expect(rest.hasMore).toBe(false);
});

describe('a walk from a time', () => {
  /** Ten changes that were recorded at the times 1,000 to 10,000, by containers with different clocks. */
  async function timed() {
    const started = await start();
    for (let index = 0; index < 10; index += 1) {
      // Every second clock is behind the one before.
      const now = index % 2 === 0 ? (index + 1) * 1_000 : index * 1_000 - 500;
      const record = recorder(started.changes, { now: () => Date.now() - soon + now });
      await record([streamRecord(started.account, index + 1, { after: itemAt(index + 1, 1) })]);
    }
    const { changes: all } = await started.list(await started.findChange(0));
    return { ...started, all, first: all[0]?.number ?? 0 };
  }
  const soon = 20_000;

  it('finds the first change that was recorded then or later, by times that rise with the numbers', async () => {
    const { all, first, findChange } = await timed();
    expect(all).toHaveLength(10);
    const times = all.map(({ recordedAt }) => recordedAt ?? 0);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    for (const time of [0, ...times, Date.now() + 1_000].flatMap((one) => [one - 1, one, one + 1])) {
      const later = times.filter((one) => one < time).length;
      expect([time, await findChange(time)]).toEqual([time, first + later]);
    }
  });

  it('is refused if changes since then are no longer kept', async () => {
    const { all, first, findChange, remove, expire } = await timed();
    const times = all.map(({ recordedAt }) => recordedAt ?? 0);
    for (const change of all.slice(0, 3)) await (change.number === first ? expire(change) : remove(change));
    for (const time of [0, times[2] ?? 0, times[3] ?? 0]) await expect(findChange(time)).rejects.toMatchObject(expired);
    expect(await findChange((times[4] ?? 0) + 1)).toBe(first + times.filter((one) => one <= (times[4] ?? 0)).length);
    for (const change of all.slice(3)) await remove(change);
    for (const time of times) await expect(findChange(time)).rejects.toMatchObject(expired);
    expect(await findChange((times[9] ?? 0) + 1)).toBe(first + 10);
  });
});

describe('a walk from a time beside a version that kept no times of recording', () => {
  const [minute, day] = [60_000, 24 * 60 * 60_000];
  const noon = Date.UTC(2027, 0, 1, 12);

  /** A recording at a time by this version, or an older one. */
  const recording = (isOlder: boolean) => (at: number) => ({ isOlder, at });
  const [here, older] = [recording(false), recording(true)];

  /** What an account sees at a time whose items are recorded as they are written. */
  async function history(recordings: readonly ReturnType<typeof here>[], seenAt = noon) {
    const { account, changes, findChange, list } = await start(undefined, () => seenAt);
    const { client, table } = changes;
    const send = (command: object) => {
      if (!(command instanceof dynamo.TransactWriteCommand)) return Reflect.apply(client.send, client, [command]);
      const input = JSON.parse(JSON.stringify(command.input).replaceAll('"recorded_at"', '"not_kept"'));
      return client.send(new dynamo.TransactWriteCommand(input));
    };
    for (const [index, { isOlder, at }] of recordings.entries()) {
      const sender = isOlder ? ({ send } as unknown as Database['client']) : client;
      const record = recorder({ client: sender, table }, { now: () => at });
      await record([streamRecord(account, index + 1, { after: itemAt(index + 1, 1, {}, at) })]);
    }
    return async (from: number) => (await list(await findChange(from))).changes.map(({ item }) => item);
  }

  const [early, late] = [noon - 60 * minute, noon - 30 * minute];
  it.each<[string, Parameters<typeof history>[0], number[]]>([
    ['what it has recorded after this version', [here(early), older(late), older(late)], [2, 3]],
    ['what both have recorded', [here(early), older(late), here(noon)], [2, 3]],
    ['what it alone has recorded within a day of the write', [older(late - day + minute), older(noon)], [1, 2]],
    ['what it has written a day before, to the millisecond', [older(late - day - 1), older(late - day)], [2]],
    ['nothing that this version has recorded before', [older(early), here(late - 1)], []],
    ['what it may have recorded before this version', [older(early), here(late)], [1, 2]],
  ])('sees %s', async (_what, recordings, items) => {
    expect(await (await history(recordings))(late)).toEqual(items);
  });

  it.each([here(noon), older(noon)])('begins also where all that was recorded has expired: %o', async (recorded) => {
    const seen = await history([recorded], noon + 8 * day);
    expect(await seen(noon + 8 * day - 10 * minute)).toEqual([]);
    await expect(seen(noon)).rejects.toMatchObject(expired);
  });

  it('misses no change whose transaction is just being completed', async () => {
    const { table } = await tables;
    let isComplete = false;
    const read = async (command: object) => {
      isComplete ||= command instanceof dynamo.TransactGetCommand;
      const output = await Reflect.apply(table.client.send, table.client, [command]);
      return !isComplete && output.Item?.number !== undefined ? {} : output;
    };
    const { account, findChange, record } = await start(read as Database['client']['send']);
    const before = Date.now();
    await record([streamRecord(account, 1, { after: itemAt(1, 1) })]);
    expect(await findChange(before)).toBeLessThan(await findChange(before + day));
  });
});

describe('after an operator has skipped lost changes,', () => {
  it('an earlier place or time is refused, and a later one continues', async () => {
    const { account, beginning, first, findChange, list, record, skip } = await ten();
    const before = Date.now() - 10 * 60_000 - 1;
    const { next: end } = await list(undefined);
    await skip();
    expect((await list(first)).next).toBe(end);
    for (const from of [beginning, end]) await expect(list(from)).rejects.toMatchObject(expired);
    await expect(findChange(before)).rejects.toMatchObject(expired);
    const { next } = await list(undefined);
    const after = Date.now();
    expect(await findChange(after + 1_000)).toBe(next);
    await record([streamRecord(account, 11, { after: itemAt(11, 1) })]);
    for (const from of [next, await findChange(after)])
      expect(await list(from)).toMatchObject({ changes: [{ number: next, item: 11 }], next: next + 1 });
    await expect(list(end)).rejects.toMatchObject(expired);
    await expect(list(beginning)).rejects.toMatchObject(expired);
  });

  it('a copy that was begun after that, up to 10 minutes back, follows from the first change after it', async () => {
    const skipped = Date.UTC(2027, 0, 1);
    // The operator's clock is behind that of the function that records changes, which counts.
    const { account, changes, findChange, list, skip } = await start(undefined, () => skipped - 60_000);
    const record = recorder(changes, { now: () => skipped });
    for (const id of [1, 2]) await record([streamRecord(account, id, { after: itemAt(id, 1) })]);
    await skip();
    const { next } = await list(undefined);
    await expect(findChange(skipped - 10 * 60_000 - 1)).rejects.toMatchObject(expired);
    for (const time of [skipped - 10 * 60_000, skipped]) expect(await findChange(time)).toBe(next);
    await record([streamRecord(account, 3, { after: itemAt(3, 1) })]);
    for (const time of [skipped - 10 * 60_000, skipped]) expect(await findChange(time)).toBe(next);
    expect((await list(next)).changes).toMatchObject([{ item: 3 }]);
  });

  it('what is recorded at the same time gets its numbers after it', async () => {
    const { account, changes, list, skip } = await ten();
    let isSkipped = false;
    const send = async (command: object) => {
      if (command instanceof dynamo.TransactWriteCommand && !isSkipped) {
        isSkipped = true;
        await skip();
      }
      return Reflect.apply(changes.client.send, changes.client, [command]);
    };
    const { next: end } = await list(undefined);
    const slow = recorder({ client: { send } as Database['client'], table: changes.table });
    await slow([streamRecord(account, 11, { after: itemAt(11, 1) })]);
    expect(await list(end + 1)).toMatchObject({ changes: [{ item: 11 }] });
  });
});

describe('the changes of an item', () => {
  it('come newest first in pages, also after it was removed, without expired ones and those of other items', async () => {
    const { account, beginning, list, ofItem, record, expire } = await ten();
    const states = [1, 2, 3, 4].map((revision) => itemAt(1, revision, { value: revision }));
    const write = (index: number) =>
      streamRecord(account, 10 + index, { before: states[index - 1], after: states[index] });
    await record([write(1), write(2), write(3)]);
    await record([streamRecord(account, 14, { before: states[3] })]);
    const all = (await list(beginning)).changes.filter(({ item }) => item === 1).reverse();
    expect(all.map(({ kind }) => kind)).toEqual(['removed', 'updated', 'updated', 'updated', 'created']);
    const page = await ofItem(1, undefined, 3);
    expect(page.changes).toMatchObject(all.slice(0, 3));
    expect(await ofItem(1, page.next, 3)).toMatchObject({ changes: all.slice(3), next: undefined });
    expect((await ofItem(1, page.changes[0]?.place, 9)).changes).toMatchObject(all.slice(1));
    expect(await ofItem(99, undefined, 3)).toEqual({ changes: [], next: undefined });
    await expire({ Key: changeKeys.ofItem(account, 1, '1') });
    expect((await ofItem(1, undefined, 9)).changes).toMatchObject(all.slice(0, 4));
  });
});
