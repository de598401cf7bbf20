import { ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { CopyOutcome } from '../../admin/restore/copyOutcome.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { copyLost } from '../support/table/restoredTables.ts';
import { createIn, itemFields, openTestAccount, testCall } from '../support/table/testTable.ts';
import { Random } from '../support/time/random.ts';
import { Simulation } from '../support/time/simulation.ts';
import { dyingClient } from './dyingClient.ts';
import type { Command } from './failures.ts';
import { faultyClient, longest } from './faultyClient.ts';
import { startProcess } from './process.ts';

const account = 'acme';
const table = 'table';
/** The items with both identifiers. */
const ids = [1, 2, 3, 4, 5, 6];
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

/** A copy, and the table in use, which has lost items and other records since: 1 to 3 are missing, 4 is damaged. */
async function openTables() {
  const live = new MemoryTable();
  const database = new Database(live, table);
  await openTestAccount({ database }, account);
  const catalog = dynamoItemWriter(database);
  for (const id of ids) await createIn(catalog, testCall(account), { sku: `S${id}`, pn: `P${id}` });
  await catalog(testCall(account)).insertItem(itemFields(), { key: 'k', sent: { name: 'a' } });
  const copy = live.copy();
  const request = live.records().find(({ sk }) => sk === 'REQUEST');
  const damaged = live.records().find(({ sk }) => sk === keys.item(account, 4).sk);
  const lost = [
    ...[1, 2, 3].map((id) => keys.item(account, id)),
    // The guards of 3 still exist.
    ...[1, 2].flatMap((id) => [keys.guard(account, 'sku', `S${id}`), keys.guard(account, 'pn', `P${id}`)]),
    ...[keys.counter(account), keys.category(account, 2), keys.unit(account, 'kg')],
    { pk: String(request?.['pk']), sk: 'REQUEST' },
  ];
  live.execute(
    new TransactWriteCommand({
      TransactItems: [
        ...lost.map((Key) => ({ Delete: { TableName: table, Key } })),
        { Put: { TableName: table, Item: { ...damaged, value: 'much' } } },
      ],
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
    // Reads of both tables, four items, configuration, counter and idempotency record: there was much to interrupt.
    expect(deaths).toBeGreaterThan(12);
  });
});

/** An update of one item as its only client saw it. Without a revision, its outcome is unknown. */
interface SentUpdate {
  readonly value: number;
  readonly revision: number | undefined;
}

/** Clients each write their own item, and take each other's identifiers, while an operator copies back. */
async function history(seed: number) {
  const random = new Random(seed);
  const simulation = new Simulation(new Random(seed ^ 0x5eed));
  const { live, copy } = await openTables();
  const clock = { now: simulation.now, random: random.next, sleep: simulation.sleep };
  const to = simulation.now() - hour;
  const start = (ahead = 0) => {
    const { promise: death, resolve: die } = Promise.withResolvers<undefined>();
    const client = faultyClient({ client: live, simulation, random, die: () => die(undefined) });
    return { client, death, clock: { ...clock, now: () => simulation.now() + ahead } };
  };

  const operate = async (): Promise<void> => {
    for (let isDone = false; !isDone; ) {
      const process = start();
      const copying = copyLost(scanned(copy), { table, client: process.client }, { account: undefined }, { to, clock });
      // It may also give up if the table does not answer in time.
      isDone = await Promise.race([
        copying.then(
          () => true,
          () => false,
        ),
        process.death.then(() => false),
      ]);
    }
  };

  const updates = new Map(ids.map((id) => [id, [] as SentUpdate[]]));
  const write = async (id: number): Promise<void> => {
    const begin = () => {
      const { client, death, clock: own } = start(Math.round((random.next() - 0.5) * 5_000));
      return { death, serve: startProcess({ client, table, clock: own, newWriteId: () => `stamp-${random.next()}` }) };
    };
    let process = begin();
    for (let turn = 1; turn <= 6; turn += 1) {
      await simulation.sleep(random.next() * 60);
      const value = id * 1_000 + turn;
      const body = { value, ...(random.chance(0.4) && { sku: random.pick([`S${id}`, 'S1', 'S2', 'X', null]) }) };
      const response = await Promise.race([process.serve({ account, id, body }), process.death]);
      if (response === undefined) process = begin();
      // Refused because there is no such item yet, or another one has the identifier.
      if (response?.status === 404 || response?.status === 409) continue;
      updates.get(id)?.push({ value, revision: response?.status === 200 ? response.revision : undefined });
    }
  };

  await simulation.run([operate(), ...ids.map(write)]);
  // Requests to DynamoDB that are still in flight arrive.
  await simulation.run([simulation.sleep(2 * longest)]);
  const last = await finish();
  return { live, copy, updates, last, findings: await allFindings(live.records(), Date.now()) };

  /** A final run without faults and clients. */
  async function finish() {
    const copying = () =>
      copyLost(
        scanned(copy),
        { table, client: live },
        { account: undefined },
        { to, clock: { ...clock, sleep: soon } },
      );
    await copying();
    return copying();
  }
}

const soon = async (): Promise<void> => undefined;

describe('copying back during client traffic, with faults', () => {
  it('loses no confirmed write, no item, and no guard', async () => {
    let confirmed = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const { live, updates, last, findings } = await history(seed);
      expect([seed, findings]).toEqual([seed, []]);
      // Everything is back, except items whose identifier another item took.
      expect([seed, putBack(last)]).toEqual([seed, []]);
      const taken = last.flatMap((one) => (one.of === 'item' && one.result === 'identifier taken' ? [one.id] : []));
      const values = valuesOf(live.records());
      expect([seed, ids.filter((id) => !(id in values))]).toEqual([seed, taken.filter((id) => !(id in values))]);
      for (const [id, writes] of updates) {
        const done = writes.filter(({ revision }) => revision !== undefined);
        confirmed += done.length;
        // A write with an unknown outcome may have been done, and last.
        const open = writes.filter(({ revision }) => revision === undefined);
        const possible = [done.at(-1)?.value ?? (id in values ? 0 : undefined), ...open.map(({ value }) => value)];
        expect([seed, id, possible]).toEqual([seed, id, expect.arrayContaining([values[id]])]);
        const revisions = done.map(({ revision }) => Number(revision));
        expect([seed, id, revisions]).toEqual([seed, id, revisions.toSorted((a, b) => a - b)]);
      }
    }
    expect(confirmed).toBeGreaterThan(500);
  });
});
