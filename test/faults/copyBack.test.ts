import { ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { CopyOutcome } from '../../admin/restore/copyOutcome.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { itemPartition, keys } from '../../lib/store/records/keys.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { copyLost } from '../support/table/restoredTables.ts';
import { itemFields, openTestAccount, testCall, writerOf } from '../support/table/testTable.ts';
import { dyingClient } from './dyingClient.ts';
import type { Command } from './failures.ts';
import type { ClientResponse } from './history.ts';
import { startProcess } from './process.ts';
import { Choices } from './schedules/choices.ts';
import type { ItemRequest } from './schedules/pairs.ts';
import { Scheduler } from './schedules/scheduler.ts';

const account = 'acme';
const table = 'table';
const hour = 3_600_000;

/** An in-memory table as the source of a copy: all of its records are in one page of the first segment. */
const scanned = (memory: MemoryTable) => ({
  table,
  client: {
    send: (async (command: Command) => {
      if (!(command instanceof ScanCommand)) return memory.execute(command);
      return { Items: command.input.Segment === 0 ? structuredClone(memory.records()) : [] };
    }) as DocumentSender['send'],
  },
});

/** A table with items that have both identifiers, with ids from 1. */
async function openTable(items: number) {
  const live = new MemoryTable();
  const database = new Database(live, table);
  await openTestAccount({ database }, account);
  const catalog = dynamoItemWriter(database);
  const { create } = writerOf(catalog, account);
  for (let id = 1; id <= items; id += 1) await create({ sku: `S${id}`, pn: `P${id}` });
  return { live, catalog };
}

const guardsOf = (id: number) => [keys.guard(account, 'sku', `S${id}`), keys.guard(account, 'pn', `P${id}`)];

const deleted = (lost: readonly Key[]) => lost.map((Key) => ({ Delete: { TableName: table, Key } }));

/** A copy, and the table in use, which has lost items and other records since: 1 to 3 are missing. */
async function openTables() {
  const { live, catalog } = await openTable(6);
  await catalog(testCall(account)).insertItem(itemFields(), { key: 'k', sent: { name: 'a' } });
  const copy = live.copy();
  const request = live.records().find(({ sk }) => sk === 'REQUEST');
  const lost = [
    ...[1, 2, 3].map((id) => keys.item(account, id)),
    // The guards of 3 still exist.
    ...[1, 2].flatMap(guardsOf),
    ...[keys.counter(account), keys.category(account, 2), keys.unit(account, 'kg')],
    { pk: String(request?.['pk']), sk: 'REQUEST' },
  ];
  live.execute(
    new TransactWriteCommand({
      TransactItems: deleted(lost),
    }),
  );
  return { live, copy };
}

const valuesOf = (records: readonly JsonObject[]): Record<string, unknown> =>
  Object.fromEntries(records.filter(({ pk }) => String(pk).endsWith('#ITEMS')).map(({ id, value }) => [id, value]));

const putBack = (outcomes: readonly CopyOutcome[]) =>
  outcomes.filter((one) => one.of !== 'item' || one.result === 'put back');

describe('copying back that is killed at any DynamoDB request, and run again', () => {
  it.each([true, false])('loses nothing and does nothing twice (its last request arrives: %s)', async (isDelivered) => {
    const to = Date.now() - hour;
    let deaths = 0;
    for (let last = 0, isKilled = true; isKilled; last += 1) {
      const { live, copy } = await openTables();
      const run = (target: Parameters<typeof copyLost>[1]) =>
        copyLost(scanned(copy), target, { account: undefined }, { to });
      const { client, death } = dyingClient(live, last, isDelivered);
      isKilled = await Promise.race([run({ table, client }).then(() => false), death]);
      deaths += Number(isKilled);
      await run({ table, client: live });
      expect([last, await allFindings(live.records(), Date.now())]).toEqual([last, []]);
      expect([last, valuesOf(live.records())]).toEqual([last, valuesOf(copy.records())]);
      expect(live.records()).toHaveLength(copy.records().length);
      const done = live.copy();
      expect(await run({ table, client: live })).toEqual([]);
      expect(live.equals(done)).toBe(true);
    }
    // Reads of both tables, three items, configuration, counter and idempotency record: there was much to interrupt.
    expect(deaths).toBeGreaterThan(12);
  });
});

/** An operator copies back a lost item, beside a client's request. */
async function copyBeside(beginning: { live: MemoryTable; copy: MemoryTable }, request: ItemRequest, choices: Choices) {
  const live = beginning.live.copy();
  const from = scanned(beginning.copy);
  const setting = { name: 'clocks agree', ahead: [0, 0], responseTimeout: 1_000 } as const;
  const scheduler = new Scheduler(live, choices, setting, { faults: 1, withPreparation: false });
  const clock = scheduler.clock(0);
  const to = clock.now() - hour;
  const scope = { account: undefined };
  const listener = { die: ignore, doubled: ignore, confirmed: ignore, read: ignore };
  const operator = scheduler.client('operator', listener);
  // Other requests cannot tell when the operator read what no client writes.
  const send = async (command: Command) =>
    isAccountRead(command) ? live.execute(command) : Reflect.apply(operator.send, operator, [command]);
  const target = { table, client: { send: send as DocumentSender['send'] } };

  let response: ClientResponse | undefined;
  const starts = [
    // It may also give up if the table does not answer in time.
    () => void copyLost(from, target, scope, { to, clock }).catch(ignore),
    () => {
      const client = scheduler.client('client', listener);
      const serve = startProcess({ client, table, clock, newWriteId: () => 'stamp-client' });
      void serve({ account, ...request }).then((answer) => {
        response = answer;
      });
    },
  ];
  const waiting = [...starts];
  const startable = () => waiting.map((start) => () => void waiting.splice(waiting.indexOf(start), 1)[0]?.());
  await scheduler.run(startable, ignore);
  // Runs without faults and clients.
  const again = () =>
    copyLost(from, { table, client: live }, scope, { to, clock: { ...clock, sleep: async () => ignore() } });
  await again();
  return { live, response, last: await again() };
}

const isAccountRead = ({ input }: Command): boolean => {
  const { Key } = input as { Key?: Key };
  return Key !== undefined && Key.pk !== itemPartition(account);
};

const ignore = (): void => undefined;

describe('copying back beside a client, in every order of their calls, with one fault', () => {
  it.each<[string, ItemRequest, readonly (number | undefined)[]]>([
    ['updates the item', { id: 1, body: { value: 9 } }, [200, 404, 503, undefined]],
    ['takes its code', { id: 2, body: { sku: 'S1', value: 9 } }, [200, 409, 503, undefined]],
  ])('loses no confirmed write, no item, and no guard if the client %s', async (_what, request, possible) => {
    const { live: beginning } = await openTable(2);
    const copy = beginning.copy();
    beginning.execute(new TransactWriteCommand({ TransactItems: deleted([keys.item(account, 1), ...guardsOf(1)]) }));
    const choices = new Choices();
    const statuses = new Set<number | undefined>();
    let schedules = 0;
    do {
      schedules += 1;
      const { live, response, last } = await copyBeside({ live: beginning, copy }, request, choices);
      statuses.add(response?.status);
      expect(await allFindings(live.records(), Date.now())).toEqual([]);
      // Everything is back, except an item whose identifier another item took.
      expect(putBack(last)).toEqual([]);
      const isTaken = last.some((one) => one.of === 'item' && one.result === 'identifier taken');
      const values = valuesOf(live.records());
      expect(Object.keys(values)).toEqual(expect.arrayContaining(isTaken ? ['2'] : ['1', '2']));
      const isDone = response?.status === 200;
      if (isDone || isTaken) expect(values[Number(request.id)]).toBe(9);
      if (response?.status === 404 || response?.status === 409) expect(values[Number(request.id)]).toBe(0);
    } while (choices.advance());
    expect(statuses).toEqual(new Set(possible));
    expect(schedules).toBeGreaterThan(200);
  });
});
