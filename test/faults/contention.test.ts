import { describe, expect, it } from 'vitest';
import type { Observation } from '../../lib/http/observation.ts';
import { Database } from '../../lib/store/database/database.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { openTestAccount } from '../support/table/testTable.ts';
import { Random } from '../support/time/random.ts';
import { Simulation } from '../support/time/simulation.ts';
import { contendedClient } from './contendedClient.ts';
import type { ClientRequest } from './history.ts';
import { type Serve, startProcess } from './process.ts';

type ItemRequest = Omit<ClientRequest, 'account' | 'id'>;

/** Two accounts with an item each, and one process for all requests, which share its retry budget. */
async function open(seed: number) {
  const random = new Random(seed);
  const simulation = new Simulation(new Random(seed ^ 0x5eed));
  const table = new MemoryTable();
  const database = new Database(table, 'table');
  const client = contendedClient(table, simulation, random);
  let calls = 0;
  const observations: Observation[] = [];
  const serve: Serve = startProcess({
    observe: (observation) => observations.push(observation),
    client,
    table: 'table',
    clock: simulation,
    newWriteId: () => `stamp-${++calls}`,
  });
  for (const account of ['first', 'second']) {
    await openTestAccount({ database }, account);
    await simulation.run([serve({ account, body: { name: 'item', unit: 'kg' } })]);
  }
  const idOf = (account: string): number =>
    Number(table.records().find(({ pk }) => pk === `ACCOUNT#${account}#ITEMS`)?.['id']);

  /** A number of writers of an account's item, each of which sends its requests in sequence. @returns the statuses */
  const write = async (account: string, writers: number, count: number, next: (nth: number) => ItemRequest) => {
    const id = idOf(account);
    const statuses: number[] = [];
    const work = async (writer: number): Promise<void> => {
      for (let nth = 0; nth < count; nth += 1)
        statuses.push((await serve({ account, id, ...next(writer * count + nth) })).status);
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => work(writer)));
    return statuses;
  };
  return { simulation, write, observations };
}

/** The statuses of all requests of writers of one item, for several seeds. */
async function statusesOf(seeds: number, writers: number, count: number, next: (nth: number) => ItemRequest) {
  const all: number[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { simulation, write } = await open(seed);
    const written = write('first', writers, count, next);
    await simulation.run([written]);
    all.push(...(await written));
  }
  return all;
}

const refused = (statuses: readonly number[]): number => statuses.filter((status) => status !== 200).length;

/** Each kind of update in turn. */
const mixed = (nth: number): ItemRequest =>
  [
    { body: { value: nth } },
    { body: { sku: `S-${nth}` } },
    { body: { qty: nth + 0.375 } },
    { body: { metadata: { [`m${nth % 7}`]: nth } } },
    { body: { pn: nth % 2 === 0 ? 'P' : null, value: nth } },
  ][nth % 5] as ItemRequest;

/** Only these tests show that writers who merely meet all get through: the others inject conflicts, but do not contend. */
describe('concurrent writers of one item succeed:', () => {
  it.each([2, 5])('%i writers, 20 requests each', async (writers) => {
    const statuses = await statusesOf(5, writers, 20, mixed);
    expect(statuses).toHaveLength(5 * writers * 20);
    expect(refused(statuses)).toBe(0);
  });

  it('20 writers that change its identifier, except fewer than 1 in 100', async () => {
    const statuses = await statusesOf(20, 20, 1, (nth) => ({ body: { sku: `S-${nth}` } }));
    expect(statuses).toHaveLength(400);
    expect(refused(statuses)).toBeLessThan(4);
  });

  it('50 writers that merge its metadata when the key count must be checked on the stored item', async () => {
    const many = (nth: number) => Array.from({ length: 40 }, (_, key) => [`m${(nth % 2) * 40 + key}`, nth]);
    const statuses = await statusesOf(5, 50, 2, (nth) => ({ body: { metadata: Object.fromEntries(many(nth)) } }));
    expect(refused(statuses)).toBe(0);
  });
});

describe('an update that is built from the stored item is rebuilt at most once, whoever writes other fields:', () => {
  const metadata = (letter: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, key) => [`${letter}${key}`, 0]));

  it.each<[string, (nth: number) => ItemRequest]>([
    ['of an identifier', (nth) => ({ body: { sku: `S-${nth}` } })],
    ['of a quantity by the stored unit', (nth) => ({ body: { qty: nth + 0.4375 } })],
    ['of metadata near its limit', (nth) => ({ body: { metadata: { m0: nth, m1: nth, m2: nth } } })],
  ])('%s', async (_what, next) => {
    const { simulation, write, observations } = await open(1);
    await simulation.run([write('first', 1, 2, (nth) => ({ body: { metadata: metadata(nth ? 'm' : 'n', 49) } }))]);
    observations.length = 0;
    const plain = write('first', 8, 60, (nth) => ({ body: { value: nth } }));
    const rebuilt = write('first', 1, 20, next);
    await simulation.run([plain, rebuilt]);
    expect(refused(await rebuilt)).toBe(0);
    expect(Math.max(...observations.map(({ stats }) => stats?.retries.moved ?? 0))).toBeLessThanOrEqual(1);
  });
});

describe('an account', () => {
  it("is not affected by contention on another account's item in the same process", async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const { simulation, write } = await open(seed);
      const change = (nth: number): ItemRequest => ({ body: { sku: `S-${nth}` } });
      const busy = write('first', 20, 10, change);
      const other = write('second', 2, 20, mixed);
      await simulation.run([busy, other]);
      expect(refused(await other)).toBe(0);
      const afterwards = write('second', 2, 20, mixed);
      await simulation.run([afterwards]);
      expect(refused(await afterwards)).toBe(0);
    }
  });
});
