import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { RecordedChange } from '../../lib/catalog/recordedChange.ts';
import { dynamoChangeReader } from '../../lib/store/catalog/dynamoChangeReader.ts';
import { Database } from '../../lib/store/database/database.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { changeKeys } from '../../lib/store/records/keys.ts';
import { createTables, itemAt, recorder, streamRecord } from '../support/changeStream.ts';
import { openTestAccount, testCall } from '../support/testTable.ts';

const tables = createTables();

/** An open account, the function that records its changes, and a container that lists them. */
async function start(read?: Database['client']['send']) {
  const { table, changes } = await tables;
  const account = await openTestAccount(table);
  const database = read === undefined ? table.database : new Database({ send: read }, table.table);
  const reader = dynamoChangeReader(database);
  const list = (from: number | undefined, limit = 100) => reader(testCall(account)).listChanges(from, limit);
  const ofItem = reader(testCall(account)).listItemChanges;
  const target = (number: number) => ({ TableName: changes.table, Key: changeKeys.change(account, number) });
  return {
    account,
    changes,
    record: recorder(changes),
    list,
    ofItem,
    remove: ({ number }: RecordedChange) => changes.client.send(new DeleteCommand(target(number))),
    expire: (change: RecordedChange | { readonly Key: Key }) => {
      const { Key } = 'Key' in change ? change : target(change.number);
      const past = { UpdateExpression: 'SET expires_at = :past', ExpressionAttributeValues: { ':past': 1 } };
      return changes.client.send(new UpdateCommand({ TableName: changes.table, Key: { ...Key }, ...past }));
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
  it('begins with what changes from now on, also if nothing has changed before, and goes on in pages', async () => {
    const { list, all, first, account, record } = await ten();
    expect(all.map(({ item, number }) => [item, number - first])).toEqual(all.map((_, index) => [index + 1, index]));
    const { changes, next } = await list(first, 4);
    expect([changes, next]).toEqual([all.slice(0, 4), first + 4]);
    expect(await list(undefined)).toEqual({ changes: [], next: first + 10 });
    expect(await list(first + 10)).toEqual({ changes: [], next: first + 10 });
    await record([streamRecord(account, 11, { after: itemAt(11, 1) })]);
    expect((await list(first + 10)).changes).toMatchObject([{ item: 11 }]);
  });

  it('sees only the changes of its account, which must be open', async () => {
    const [one, other] = [await ten(), await start()];
    await expect(other.list(one.first)).rejects.toMatchObject(expired);
    const { table } = await tables;
    const closed = dynamoChangeReader(table.database)(testCall('closed'));
    await expect(closed.listChanges(undefined, 1)).rejects.toMatchObject({ code: 'FORBIDDEN' });
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
    expect(await list(first + 2)).toEqual({ changes: all.slice(2, 4), next: first + 4 });
    await expect(list(first + 4)).rejects.toMatchObject(expired);
  });

  it('waits if a query sees only a part of a transaction', async () => {
    const { table } = await tables;
    let hidden: readonly number[] = [];
    const read = async (...[command]: unknown[]) => {
      const output = await Reflect.apply(table.client.send, table.client, [command]);
      if (!(command instanceof QueryCommand) || !command.input.TableName?.endsWith('-changes')) return output;
      // A query that is not strongly consistent may see nothing of what was just written.
      const isSeen = (_: unknown, index: number) => command.input.ConsistentRead && !hidden.includes(index);
      return { ...output, Items: output.Items.filter(isSeen) };
    };
    const { all, first, list } = await ten(read as Database['client']['send']);
    hidden = [1];
    expect(await list(first, 3)).toEqual({ changes: all.slice(0, 1), next: first + 1 });
    hidden = [0, 1, 2];
    expect(await list(first + 1, 3)).toEqual({ changes: [], next: first + 1 });
    hidden = [];
    expect((await list(first + 1, 3)).changes).toEqual(all.slice(1, 4));
  });
});

describe('the changes of an item', () => {
  it('come newest first in pages, also after it was removed, without those that have expired and those of other items', async () => {
    const { account, beginning, list, ofItem, record, expire } = await ten();
    const states = [1, 2, 3, 4].map((revision) => itemAt(1, revision, { value: revision }));
    const write = (index: number) =>
      streamRecord(account, 10 + index, { before: states[index - 1], after: states[index] });
    await record([write(1), write(2), write(3)]);
    await record([streamRecord(account, 14, { before: states[3] })]);
    const all = (await list(beginning)).changes.filter(({ item }) => item === 1).reverse();
    expect(all.map(({ kind }) => kind)).toEqual(['removed', 'updated', 'updated', 'updated', 'created']);
    const page = await ofItem(1, undefined, 3);
    expect(page.changes).toEqual(all.slice(0, 3));
    expect(await ofItem(1, page.next, 3)).toEqual({ changes: all.slice(3), next: undefined });
    expect(await ofItem(99, undefined, 3)).toEqual({ changes: [], next: undefined });
    await expire({ Key: changeKeys.ofItem(account, 1, '1') });
    expect((await ofItem(1, undefined, 9)).changes).toEqual(all.slice(0, 4));
  });
});

interface Write {
  readonly item: number;
  readonly revision: number;
  readonly writtenAt: number;
  readonly sequence: number;
}

/** What somebody who walks sees of a recorder: what follows a place, and the place to go on from. */
interface Recorder {
  record(writes: readonly Write[]): Promise<void>;
  list(from: number | undefined): Promise<{ readonly seen: readonly string[]; readonly next: number }>;
}

const nameOf = ({ item, revision }: { item: number; revision: number }) => `${item} ${revision}`;

/** Two shards with the writes of different items, which commit out of the order of their times. */
const shards = [0, 1].map((shard) =>
  Array.from({ length: 60 }, (_, index): Write => {
    const [item, revision] = [shard * 10 + (index % 3) + 1, Math.floor(index / 3) + 1];
    return { item, revision, writtenAt: 1_700_000_000_000 + index * 10 - ((index * 7919) % 400), sequence: index + 1 };
  }),
);

/** Records both shards at the same time, with some batches delivered again, while somebody walks. */
async function walkWhileRecording({ record, list }: Recorder): Promise<string[]> {
  let { next } = await list(undefined);
  let isOver = false;
  const deliver = async (writes: readonly Write[]) => {
    for (let from = 0; from < writes.length; from += 6) {
      // The function was killed after half of a batch, so all of it is delivered again.
      if (from % 4 === 0) await record(writes.slice(from, from + 3));
      await record(writes.slice(from, from + 6));
    }
  };
  const recorded = Promise.all(shards.map(deliver)).finally(() => {
    isOver = true;
  });
  const seen: string[] = [];
  for (let isEnd = false; !isEnd; ) {
    const wasOver = isOver;
    const page = await list(next);
    seen.push(...page.seen);
    next = page.next;
    isEnd = wasOver && page.seen.length === 0;
  }
  await recorded;
  return seen;
}

/** Each item's revisions as they were seen, which are due in their order. */
const seenOf = (seen: readonly string[]) => Map.groupBy(seen, (name) => name.split(' ')[0]);
const due = seenOf(shards.flat().map(nameOf));

describe('a walk while two shards of an account are recorded at once', () => {
  it('sees every change once, and those of an item in their order', async () => {
    const { account, changes, list } = await start();
    const recorders = [recorder(changes), recorder(changes)];
    const at = ({ item, writtenAt }: Write, revision: number) => itemAt(item, revision, { value: revision }, writtenAt);
    const record = async (writes: readonly Write[]) => {
      const records = writes.map((write) => {
        const before = write.revision === 1 ? undefined : at(write, write.revision - 1);
        return streamRecord(account, write.sequence, { before, after: at(write, write.revision) });
      });
      await recorders[Number((writes[0]?.item ?? 0) > 10)]?.(records);
    };
    const seen = await walkWhileRecording({
      record,
      list: async (from) => {
        const page = await list(from, 7);
        return { seen: page.changes.map(nameOf), next: page.next };
      },
    });
    expect(seenOf(seen)).toEqual(due);
  });

  it('would miss changes if it followed the times of the writes', async () => {
    const kept = new Map<string, Write>();
    const seen = await walkWhileRecording({
      record: async (writes) => {
        for (const write of writes) kept.set(nameOf(write), write);
        await new Promise(setImmediate);
      },
      list: async (from = 0) => {
        await new Promise(setImmediate);
        const page = [...kept.values()].filter(({ writtenAt }) => writtenAt > from);
        page.sort((one, other) => one.writtenAt - other.writtenAt);
        return { seen: page.map(nameOf), next: page.at(-1)?.writtenAt ?? from };
      },
    });
    expect(seen.length).toBeLessThan(shards.flat().length);
  });
});
