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
import { check } from './checker.ts';
import { contendedClient } from './contendedClient.ts';
import type { Command } from './failures.ts';
import { drawFault, usualFaults } from './faultyClient.ts';
import type { ClientRequest, History } from './history.ts';
import { isOpen } from './operations.ts';
import { type Serve, startProcess } from './process.ts';
import { nextRequest } from './requests.ts';
import { type Actor, type Ask, engineScene, openScene, type Scene, type SceneTable, withoutFaults } from './scene.ts';

/** Random requests of the first account that can be rows of one batch: no two are for one item. */
function nextRows(random: Random, { accounts: [account], operations }: Scene): ClientRequest[] {
  const known = operations.map(({ key: _, ...operation }) => operation);
  const rows: ClientRequest[] = [];
  for (let count = 2 + random.below(10); count > 0; count -= 1) {
    const sent = rows.map((row) => ({ ...row, began: 0, ended: 0 }));
    const { key: _, ...row } = nextRequest(random, [account, account], [...known, ...sent]);
    if (row.id === undefined || !rows.some(({ id }) => id === row.id)) rows.push(row);
  }
  return rows;
}

/** A client that sends batches, and each of them again with its key until all rows are decided, and single requests. */
const batchClient = (scene: Scene): Actor => ({
  next: (random) => drawFault(usualFaults, random),
  work: async (ask, random, askBatch) => {
    for (let count = 0; count < 6; count += 1) {
      const rows = nextRows(random, scene);
      const key = `key-${random.next()}`;
      for (let attempt = 0; attempt < 3; attempt += 1) if (!(await askBatch(rows, key)).some(isOpen)) break;
      for (const row of nextRows(random, scene).slice(0, 1)) await ask(row);
    }
  },
});

/** Three such clients, beside each other. */
async function play(seed: number, table?: SceneTable): Promise<History> {
  const scene = await openScene(seed, undefined, table);
  const plant = async (ask: Ask) => void (await ask({ account: scene.accounts[0], body: { name: 'first', sku: 'A' } }));
  await scene.play([{ next: withoutFaults, work: plant }]);
  await scene.play([batchClient(scene), batchClient(scene), batchClient(scene)]);
  const history = await scene.history();
  await scene.close();
  return history;
}

it('the rows of batches have the outcomes of the same requests in some order, beside others, and with faults', async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 40; seed += 1) {
    const history = await play(seed);
    expect([seed, await check(history)]).toEqual([seed, []]);
    for (const { response } of history.operations)
      seen.add(`${response?.status}${response?.replayed ? ' replayed' : ''}`);
  }
  const expected = ['200', '201', '200 replayed', '201 replayed', '409', '412', '503', 'undefined'];
  expect(expected.filter((response) => !seen.has(response))).toEqual([]);
});

it('the table in memory answers as the engine does, and has the same records', async () => {
  for (const seed of [1, 2]) expect(await play(seed, await engineScene())).toEqual(await play(seed));
});

const account = 'acme';
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
  /** A process that dies at one of its calls, before it or after it took effect. */
  const dying = (table: MemoryTable, place: number, isDone: boolean) => {
    const { promise: death, resolve: die } = Promise.withResolvers<void>();
    let calls = 0;
    const send = async (command: Command): Promise<object> => {
      const call = calls++;
      const output = call < place + Number(isDone) ? table.execute(command) : {};
      if (call === place) die();
      return call < place ? output : new Promise(() => undefined);
    };
    return { client: { send: send as DocumentSender['send'] }, death, count: () => calls };
  };

  it.each([
    ['before', false],
    ['after', true],
  ])(
    'does each row once if it is killed %s any of its calls and repeated, and keeps what others have written to its items',
    async (_when, isDone) => {
      const { table: beginning, rows } = await begin();
      const all = dying(beginning.copy(), 1_000, false);
      await start(all.client).batch(rows, 'k', 'sku');
      expect(all.count()).toBeGreaterThan(13);
      for (let place = 0; place < all.count(); place += 1) {
        const table = beginning.copy();
        const killed = dying(table, place, isDone);
        void start(killed.client).batch(rows, 'k', 'sku');
        await killed.death;
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
    },
  );

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

  it('creates a row once if it is sent twice at once, although a single read misses what is just being committed', async () => {
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
