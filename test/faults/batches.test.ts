import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import type { Clock } from '../../lib/store/database/retryPolicy.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { openTestAccount } from '../support/table/testTable.ts';
import { Random } from '../support/time/random.ts';
import { Simulation } from '../support/time/simulation.ts';
import { contendedClient } from './contendedClient.ts';
import { dyingClient } from './dyingClient.ts';
import type { Command } from './failures.ts';
import type { ClientRequest } from './history.ts';
import { type Serve, startProcess } from './process.ts';
import { account, explore } from './schedules/explore.ts';
import { item, type ScheduledRequest } from './schedules/pairs.ts';

const { id } = item;
const batch = { rows: [{ body: { name: 'row', sku: 'N' } }, { id, body: { value: 5 } }], key: 'b' };

it.each<[string, ScheduledRequest, number]>([
  ['itself', batch, 0],
  ['a create with the same code', { body: { name: 'other', sku: 'N' } }, 1],
  ['a move to the same code', { id, body: { sku: 'N' } }, 0],
  ['an update of the same item', { id, body: { metadata: { m: 1 } } }, 0],
])('the rows of a batch keep all promises in every order of calls beside %s', async (_what, other, faults) => {
  expect((await explore({ scenario: { requests: [batch, other] }, faults })).violation).toBeUndefined();
});

const skipping = { rows: [{ id, body: { value: 1 } }], key: 'k', skipsUnchanged: true };

it.each<[string, readonly ScheduledRequest[], boolean, number]>([
  ['a change of the same item', [skipping, { id, body: { value: 2 } }], false, 1],
  ['itself, which takes its place', [skipping, skipping], false, 1],
  ['a change, and is repeated', [skipping, { id, body: { value: 2 } }, skipping], true, 1],
])('a skipped row keeps all promises in every order of calls beside %s', async (_, requests, isSequence, faults) => {
  const { violation } = await explore({ scenario: { requests, isSequence }, faults });
  expect(violation).toBeUndefined();
});

const clock: Clock = { now: () => Date.UTC(2030, 0, 1), random: () => 0.5, sleep: async () => undefined };
let processes = 0;

/** A new process on a table. */
const start = (client: DocumentSender, by: Clock = clock): Serve => {
  const [process, stamps] = [processes++, [0]];
  return startProcess({ client, table: 'table', clock: by, newWriteId: () => `stamp-${process}-${stamps.push(0)}` });
};

/** Rows that are matched by their sku: two items have one of these, and another item is named. */
async function begin() {
  const table = new MemoryTable();
  await openTestAccount({ database: new Database(table, 'table') }, account);
  const serve = start(table);
  for (const body of [{ name: 'A', sku: 'A' }, { name: 'B', sku: 'B' }, { name: 'C' }]) await serve({ account, body });
  const rows: ClientRequest[] = [
    ...['A', 'B', 'D', 'E'].map((sku) => ({ account, body: { name: sku, sku, value: 1 } })),
    { account, id: 3, body: { value: 1 } },
    { account, body: { name: 'F', value: 1 } },
  ];
  return { table, rows };
}

const itemsIn = (table: MemoryTable): JsonObject[] =>
  table.records().filter(({ pk }) => pk === `ACCOUNT#${account}#ITEMS`);

/** The name, value and revision of each item, by name. */
const stateOf = (table: MemoryTable) =>
  itemsIn(table)
    .map(({ name, value, revision }) => [name, value, revision].join(' '))
    .sort();

describe('a batch that matches codes', () => {
  it.each([
    ['before', false],
    ['after', true],
  ])('does each row once if killed %s any call and repeated, and keeps what others wrote', async (_when, isDone) => {
    const { table: beginning, rows } = await begin();
    let deaths = 0;
    for (let isKilled = true; isKilled; deaths += Number(isKilled)) {
      const place = deaths;
      const table = beginning.copy();
      const { client, death } = dyingClient(table, place, isDone);
      const answered = start(client).batch(rows, 'k', 'sku');
      isKilled = await Promise.race([answered.then(() => false), death]);
      const done = itemsIn(table).filter(({ value }) => value === 1);
      for (const { id, sku } of done)
        await start(table)({ account, id: Number(id), body: { value: 9, ...(sku === 'D' && { sku: null }) } });
      const responses = await start(table).batch(rows, 'k', 'sku');
      expect([place, responses.map(({ replayed }) => replayed)]).toEqual([
        place,
        rows.map(({ body, id }) => done.some((item) => item['id'] === id || item['name'] === body['name'])),
      ]);
      const expected = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => {
        const isKept = done.some((item) => item['name'] === name);
        return `${name} ${isKept ? 9 : 1} ${('ABC'.includes(name) ? 2 : 1) + Number(isKept)}`;
      });
      expect([place, stateOf(table)]).toEqual([place, expected]);
      expect(await allFindings(table.records(), clock.now())).toEqual([]);
    }
    expect(deaths).toBeGreaterThan(13);
  });

  const row = { account, body: { sku: 'D', name: 'D', value: 1 } };

  it('repeats what it has created, although another item has the code by then', async () => {
    const { table } = await begin();
    const [created] = await start(table).batch([row], 'k', 'sku');
    await start(table)({ account, id: Number(created?.data['id']), body: { sku: null } });
    await start(table)({ account, id: 3, body: { sku: 'D' } });
    const state = stateOf(table);
    expect(await start(table).batch([row], 'k', 'sku')).toEqual([{ ...created, replayed: true }]);
    expect(stateOf(table)).toEqual(state);
  });

  it('creates a row once if sent twice at once, although a single read misses what is being committed', async () => {
    const { table } = await begin();
    const [created] = await start(table).batch([row], 'k', 'sku');
    const isKey = ({ input }: Command) => JSON.stringify(input).includes('#IDEMPOTENCY#');
    const send = async (command: Command) =>
      command.constructor.name === 'GetCommand' && isKey(command) ? {} : table.execute(command);
    const late = start({ send: send as DocumentSender['send'] });
    expect(await late.batch([row], 'k', 'sku')).toEqual([{ ...created, replayed: true }]);
  });

  it('does each row once if it is sent twice at once', async () => {
    const { table: beginning, rows } = await begin();
    for (let seed = 1; seed <= 100; seed += 1) {
      const [table, random] = [beginning.copy(), new Random(seed)];
      const simulation = new Simulation(random);
      const sent = [0, random.next() * 40].map(async (wait) => {
        await simulation.sleep(wait);
        return start(contendedClient(table, simulation, random), simulation).batch(rows, 'k', 'sku');
      });
      await simulation.run(sent);
      const [first = [], second = []] = await Promise.all(sent);
      expect(first.map(({ status }) => status)).toEqual([200, 200, 201, 201, 200, 201]);
      expect(first.map(({ replayed }, index) => replayed !== second[index]?.replayed)).toEqual(rows.map(() => true));
      expect([seed, stateOf(table)]).toEqual([seed, ['A 1 2', 'B 1 2', 'C 1 2', 'D 1 1', 'E 1 1', 'F 1 1']]);
    }
  });

  it('creates the row if its item is deleted between the lookup and the write', async () => {
    const { table } = await begin();
    const row = { account, body: { sku: 'A', name: 'Row', value: 1 } };
    let isDeleted = false;
    const send = async (command: Command): Promise<object> => {
      if (command instanceof UpdateCommand && command.input.Key?.['sk'] === keys.item(account, 1).sk && !isDeleted) {
        isDeleted = true;
        const deleted = [keys.item(account, 1), keys.guard(account, 'sku', 'A')];
        const TransactItems = deleted.map((Key) => ({ Delete: { TableName: 'table', Key } }));
        table.execute(new TransactWriteCommand({ TransactItems }));
      }
      return table.execute(command);
    };
    const [response] = await start({ send: send as DocumentSender['send'] }).batch([row], 'k', 'sku');
    expect([isDeleted, response?.status]).toEqual([true, 201]);
    expect(stateOf(table)).toEqual(['B 0 1', 'C 0 1', 'Row 1 1']);
  });

  it('updates the item that has the code at the time of the write, and no other', async () => {
    const { table: beginning } = await begin();
    const seen = new Set<string>();
    const moved = { account, body: { sku: 'A', name: 'Row', value: 1 } };
    for (let seed = 1; seed <= 100; seed += 1) {
      const [table, random] = [beginning.copy(), new Random(seed)];
      const simulation = new Simulation(random);
      const serve = () => start(contendedClient(table, simulation, random), simulation);
      const move = async () => {
        await simulation.sleep(random.next() * 20);
        await serve()({ account, id: 1, body: { sku: null } });
        if (random.chance(0.7)) await serve()({ account, id: 2, body: { sku: 'A' } });
      };
      const late = random.next() * 60;
      const batch = simulation.sleep(late).then(() => serve().batch([moved], 'k', 'sku'));
      await simulation.run([batch, move()]);
      const [response] = await batch;
      const written = itemsIn(table).filter(({ name }) => name === 'Row');
      expect([seed, written.length]).toEqual([seed, 1]);
      seen.add(`${response?.status} ${written[0]?.['id']}`);
    }
    expect([...seen].filter((outcome) => /^200 [12]$/.test(outcome)).length).toBe(2);
    expect([...seen].some((outcome) => outcome.startsWith('201'))).toBe(true);
  });
});
