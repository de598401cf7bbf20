import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import type { IdempotencyKey } from '../../lib/catalog/catalogStore.ts';
import { createItem } from '../../lib/catalog/createItem.ts';
import { getItem } from '../../lib/catalog/getItem.ts';
import { type ItemQuery, listItems } from '../../lib/catalog/listItems.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { writeItems } from '../../lib/catalog/writeItems.ts';
import type { Item, ItemChange } from '../../lib/item/item.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import { Database } from '../../lib/store/database/database.ts';
import { newTokenRecord } from '../../lib/store/records/tokenRecord.ts';
import { defaultQuery } from '../support/items/defaultQuery.ts';
import { change } from '../support/items/itemChange.ts';
import { testCaller } from '../support/lambda/gatewayEvent.ts';
import { page, tableAfter } from '../support/programs/pages.ts';
import { usesEmbeddedEngine } from '../support/setup/usesEmbeddedEngine.ts';
import {
  type Container,
  createTestTable,
  itemFields,
  newContainer,
  newReader,
  openTestAccount,
  recording,
  type TestTable,
  testCall,
  writerOf,
} from '../support/table/testTable.ts';

/** A client that counts its requests and the capacity units they take. */
function metering(client: TestTable['client']) {
  let [requests, units] = [0, 0];
  const send = async (command: { input: object }, ...rest: unknown[]) => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    requests += 1;
    try {
      const output = await Reflect.apply(client.send, client, [command, ...rest]);
      units += [output.ConsumedCapacity].flat()[0].CapacityUnits;
      return output;
    } catch (error) {
      // DynamoDB charges the same for a write whose condition fails, but the engine does not report it.
      units += 1;
      throw error;
    }
  };
  return {
    client: { send: send as TestTable['client']['send'] },
    requests: () => requests,
    units: () => units,
    reset: () => {
      [requests, units] = [0, 0];
    },
  };
}

const table = await createTestTable();
const account = await openTestAccount(table);

describe('DynamoDB round trips of a container:', () => {
  const { client, sent } = recording(table.client);
  const catalog = newContainer({ client, table: table.table });
  /** The names of the commands that a request sends. */
  const commandsOf = async (request: () => Promise<unknown>): Promise<string[]> => {
    sent.length = 0;
    await request().catch(() => undefined);
    return [...sent];
  };
  const { create, update } = writerOf(catalog, account);

  beforeAll(async () => {
    await catalog(testCall(account)).account();
    for (let index = 0; index < 10; index += 1) await create();
  });

  describe('when it has just started', () => {
    /** The commands that a create sends, each with the number of responses that came before it. */
    const firstCreate = async (call: RequestContext, body: JsonObject) => {
      const commands: [name: string, answers: number][] = [];
      let answers = 0;
      const send = async (command: { constructor: { name: string } }) => {
        commands.push([command.constructor.name.replace(/Command$/, ''), answers]);
        return Reflect.apply(table.client.send, table.client, [command]).finally(() => {
          answers += 1;
        });
      };
      const cold = newContainer({ client: { send: send as typeof table.client.send }, table: table.table });
      const outcome = await createItem(cold(call), body).catch((error: unknown) => error);
      return { commands, outcome };
    };

    it('reads the configuration and leases ids at the same time', async () => {
      const { commands } = await firstCreate(testCall(account), { name: 'Chair', sku: 'cold' });
      expect(commands).toEqual([
        ['Update', 0],
        ['Query', 0],
        ['TransactWrite', 2],
      ]);
    });

    it('leases the first ids of an account only after reading that the account is open', async () => {
      const { commands } = await firstCreate(testCall(await openTestAccount(table)), { name: 'Chair' });
      expect(commands.slice(2)).toEqual([
        ['Update', 2],
        ['Put', 3],
      ]);
    });

    it('leases no ids for a create with an invalid field', async () => {
      const { commands } = await firstCreate(testCall(account), { name: 'Chair', value: -1 });
      expect(commands).toEqual([['Query', 0]]);
    });

    it('leaves nothing behind after a create for an account that is not open', async () => {
      const { outcome } = await firstCreate(testCall('not-open'), { name: 'Chair' });
      expect(outcome).toMatchObject({ code: 'FORBIDDEN' });
      const records = await table.records();
      expect(records.filter(({ pk }) => String(pk).includes('not-open'))).toEqual([]);
    });
  });

  it.runIf(usesEmbeddedEngine)('needs the requests and write units on the design page', async () => {
    const keys = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, 1]));
    const metadata = (set: Record<string, number>) => change({}, { metadata: { set, remove: [] } });
    let count = 0;
    const key = () => ({ key: `key-${count++}`, sent: { name: 'f' } });
    const codes = (names: number) =>
      Object.fromEntries(['sku', 'pn'].slice(0, names).map((name) => [name, `c${count++}`]));
    const created =
      (names: number, withKey = false) =>
      () =>
        metered(testCall(account)).insertItem(itemFields(codes(names)), withKey ? key() : undefined);
    const updated =
      (requested: ItemChange, fields: Partial<Item> = {}, revisions?: number[], key?: IdempotencyKey) =>
      async () => {
        const item = await create(fields);
        return () => writerOf(metered, account).update(item.id, requested, revisions, { key });
      };
    /** The average cost of ten such requests in a container that has leased nothing. */
    const average = async (request: () => Promise<unknown>): Promise<[number, number]> => {
      metered = newContainer({ client: meter.client, table: table.table });
      await metered(testCall(account)).account();
      meter.reset();
      for (let index = 0; index < 10; index += 1) await request();
      return [meter.requests() / 10, meter.units() / 10];
    };
    const once = async (prepare: () => Promise<() => Promise<unknown>>): Promise<[number, number]> => {
      const request = await prepare();
      meter.reset();
      await request();
      return [meter.requests(), meter.units()];
    };
    const meter = metering(table.client);
    let metered: Container;
    const withKey = [await average(created(0, true)), await average(created(1, true)), await average(created(2, true))];
    const alone = [await average(created(0)), await average(created(1)), await average(created(2))];
    const rows = {
      'create without identifiers and key': [alone[0]],
      'create with one identifier, with two': [alone[1], alone[2]],
      'the same with an `Idempotency-Key`, without identifiers and with': withKey,
      'update of any other fields, with identifiers and name unchanged, with `If-Match`, with an `Idempotency-Key`': [
        await once(updated(change({ name: 'Chair', value: 2, sku: 'same' }), { sku: 'same' }, [1], key())),
      ],
      'update of `active`, `category` or `type`, of `name`': [
        await once(updated(change({ active: false, category: null, type: 'service' }))),
        await once(updated(change({ name: 'Table', active: false }))),
      ],
      'update of `metadata` whose stored and sent keys are more than 100 together': [
        await once(updated(metadata(keys(20, 50)), { metadata: keys(0, 60) })),
      ],
      'update that changes one identifier': [await once(updated(change({ sku: 'next' }), { sku: 'last' }))],
      'update of `qty` alone, stored in an unlikely unit': [
        await once(updated(change({}, { unroundedQty: 1.25 }), { unit: 'un' })),
      ],
    };
    const distinct = (numbers: readonly number[]) => [...new Set(numbers)].join(', ');
    const measured = Object.entries(rows).map(([row, all]) => [
      row,
      distinct(all.map((each) => each?.[0] ?? 0)),
      distinct(all.map((each) => each?.[1] ?? 0)),
    ]);
    expect(tableAfter(page('docs/design.md'), 'Of a warm container.')).toEqual(measured);
  });

  it('needs one lease and the writes of its rows for a batch, and the reads of a match', async () => {
    const work = { openStore: catalog, context: testCall(account), newWriteId: randomUUID, now: Date.now, hidden: [] };
    const rows = Array.from({ length: 50 }, (_, index) => ({ name: 'Chair', sku: `b${index}` }));
    const byName = async (body: JsonObject) => {
      const commands = await commandsOf(() => writeItems(work, body, `k${JSON.stringify(body).length}`));
      return Object.fromEntries([...Map.groupBy(commands, (name) => name)].map(([name, all]) => [name, all.length]));
    };
    expect(await byName({ rows })).toEqual({ Update: 1, TransactWrite: 50 });
    expect(await byName({ rows, match: 'sku' })).toEqual({ TransactGet: 50, Get: 50, Update: 50 + 1 });
    const match = { field: 'sku', unchanged: 'skip' };
    expect(await byName({ rows, match })).toEqual({ TransactGet: 50, Get: 50 + 50, Update: 50 });
    const unknown = { name: 'Chair', sku: 'b50' };
    expect(await byName({ rows: [unknown], match: 'sku' })).toEqual({ TransactGet: 1, TransactWrite: 1 });
  });

  it('needs one to reject a missing item or an outdated revision', async () => {
    const item = await create();
    expect(await commandsOf(() => update(999_999, change({ sku: 's4' })))).toEqual(['Update']);
    expect(await commandsOf(() => update(item.id, change({ value: 1 }), [9]))).toEqual(['Update']);
  });
});

it('reads take the requests and read units on the design page', async () => {
  const account = await openTestAccount(table);
  const { create } = writerOf(newContainer(table), account);
  const item = await create({ sku: 'A' });
  for (let index = 0; index < 60; index += 1) await create({ name: `Chair ${index}` });

  const token = createToken();
  await table.client.send(new PutCommand({ TableName: table.table, Item: newTokenRecord(token, testCaller(account)) }));

  const meter = metering(table.client);
  const reader = newReader({ client: meter.client, table: table.table });
  await reader(testCall(account)).account();
  const list = (query: Partial<ItemQuery>) => () => listItems(reader(testCall(account)), { ...defaultQuery, ...query });
  const rows: Record<string, () => Promise<unknown>> = {
    'an item': () => getItem(reader(testCall(account)), item.id),
    'a page of 50 items': list({}),
    'the item with an identifier': list({ identifier: { name: 'sku', text: 'A' } }),
    '40 items by their ids': list({ ids: Array.from({ length: 40 }, (_, index) => item.id + index) }),
    'reference data': () => reader(testCall(account)).account(),
    'a token, by the authorizer': () =>
      findToken(new Database(meter.client, table.table).for(testCall(account)), token),
  };
  const measured: string[][] = [];
  for (const [row, read] of Object.entries(rows)) {
    meter.reset();
    await read();
    measured.push([row, String(meter.requests()), String(meter.units())]);
  }
  expect(tableAfter(page('docs/design.md'), 'Reads are strongly consistent')).toEqual(measured);
});
