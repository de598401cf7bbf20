import { isDeepStrictEqual } from 'node:util';
import { createTestTable, type TestTable } from '../../support/testTable.ts';
import { startMeter, type Usage } from '../meter.ts';
import { operations } from '../operations.ts';
import type { Bench, Findings, Section } from '../section.ts';
import { median, quantile, rotated, rounded, spread } from '../statistics.ts';
import { Container, contenders, floor, storeOperations } from '../storeContenders.ts';

type StoreOperation = (typeof storeOperations)[number];
type Samples = Map<Container, number[][]>;

/** How many requests of a kind are counted: ids are leased by ten. */
const counted = 10;

/** The store on the engine, beside libraries that do the same and the fewest commands that could. */
export const store: Section = async (bench): Promise<Findings> => {
  const engine = await bench.engine();
  const table = await createTestTable(engine);
  const containers: Container[] = [];
  try {
    const usages = await countUsage(bench, table, engine.dynamodb);
    for (const contender of contenders(bench)) {
      bench.progress(`${contender.name} creates its items`);
      containers.push(await Container.start(bench, table, engine.dynamodb, contender));
    }
    const tables = [];
    const groups = [];
    for (const operation of storeOperations) {
      const able = containers.filter((container) => container.can(operation));
      const cells = new Map<number, Samples>();
      for (const clients of bench.sampling.store.clients)
        cells.set(clients, await sample(bench, able, operation, clients));
      tables.push({
        title: `On the engine: ${operations[operation].title}`,
        rows: able.map((container) => row(container, cells, able, usages.get(container.contender.name)?.[operation])),
      });
      // A page is fifty items: its bars would leave nothing of the others.
      if (operation !== 'listItems')
        groups.push({ title: operations[operation].title, bars: able.map((container) => bar(container, cells)) });
    }
    const [first] = bench.sampling.store.clients;
    return {
      tables,
      notes: notes(bench),
      charts: [{ name: 'bench-store', title: `Median time on the engine, ${first} client`, unit: 'ms', groups }],
    };
  } finally {
    for (const container of containers) container.end();
    table.client.destroy();
  }
};

const notes = ({ missingPeers, sampling: { store } }: Bench): string[] => [
  `Each cell has ${store.turns * store.requests} requests (a quarter of them for lists), in turns in rotated order. Each contender ` +
    'has a process, a bundle and an account of its own. × is the paired ratio of the medians of each turn to those of the ' +
    'floor, with quartiles. The floor sends the fewest commands with the same conditions through the client of the service; ' +
    "beside it are the same commands through the SDK's client as it comes, which the libraries have too. " +
    'Messages and units are those of a warm container. One engine process serves all, so ' +
    'many clients mostly wait for it.',
  missingPeers ??
    'OneTable, ElectroDB and dynamodb-toolbox are handed their ids, where the service and the floor lease them by ten with ' +
      'one more message. None of them resolves lost answers or bounds a message in time. ElectroDB reads the items of a ' +
      'list without strong consistency, at half the units.',
];

/** What each kind of request takes of DynamoDB, and whether all contenders leave the same items behind. */
async function countUsage(bench: Bench, table: TestTable, engine: string) {
  const meter = await startMeter(engine);
  const usages = new Map<string, Partial<Record<StoreOperation, Usage>>>();
  let expected: unknown;
  try {
    for (const contender of contenders(bench)) {
      bench.progress(`messages and units of ${contender.name}`);
      const container = await Container.start(bench, table, meter.url, contender);
      const usage: Partial<Record<StoreOperation, Usage>> = {};
      for (const operation of storeOperations.filter((name) => container.can(name))) {
        // What a container needs only once.
        await container.run(operation, 4, 1);
        meter.take();
        await container.run(operation, counted, 1);
        const { messages, units } = meter.take();
        usage[operation] = { messages: messages / counted, units: units / counted };
      }
      container.end();
      usages.set(contender.name, usage);
      const left = await itemsOf(bench, table, container.account);
      expected ??= left;
      if (!isDeepStrictEqual(left, expected))
        throw new Error(`${contender.name} does not leave behind what ${floor.name} does`);
    }
    return usages;
  } finally {
    meter.close();
  }
}

/** The items of an account to be updated, as far as all contenders must agree on them. */
async function itemsOf({ sampling }: Bench, table: TestTable, account: string): Promise<unknown> {
  const records = await table.records();
  return records
    .filter(({ pk, id }) => pk === `ACCOUNT#${account}#ITEMS` && Number(id) <= sampling.items)
    .map(({ id, name, value, description, sku, pn, metadata, revision, list_sk }) => ({
      ...{ id, name, value, description, sku, pn },
      ...{ metadata, revision, list_sk },
    }))
    .sort((a, b) => Number(a.id) - Number(b.id));
}

/** A page is as much work as fifty items: a quarter of the requests has to do. */
const requestsOf = ({ store }: Bench['sampling'], operation: StoreOperation): number =>
  operation === 'listItems' ? Math.ceil(store.requests / 4) : store.requests;

async function sample(
  { sampling, progress }: Bench,
  able: readonly Container[],
  operation: StoreOperation,
  clients: number,
): Promise<Samples> {
  const { turns } = sampling.store;
  const requests = requestsOf(sampling, operation);
  const samples: Samples = new Map(able.map((container) => [container, []]));
  // The first turn warms up.
  for (let round = 0; round <= turns; round += 1) {
    progress(`${operations[operation].title}, ${clients} clients, turn ${round} of ${turns}`);
    for (const container of rotated(able, round)) {
      const latencies = await container.run(operation, round === 0 ? Math.ceil(requests / 2) : requests, clients);
      if (round > 0) samples.get(container)?.push([...latencies]);
    }
  }
  return samples;
}

function row(own: Container, cells: Map<number, Samples>, able: readonly Container[], usage: Usage | undefined) {
  const base = able.find(({ contender }) => contender === floor);
  const columns = [...cells].map(([clients, samples]) => {
    const turns = samples.get(own) ?? [];
    const theirs = base === undefined ? [] : (samples.get(base) ?? []);
    return {
      [`${clients}: p50`]: rounded(median(turns.flat())),
      [`${clients}: p99`]: rounded(quantile(turns.flat(), 0.99)),
      [`${clients}: ×`]: spread(turns.map((turn, round) => median(turn) / median(theirs[round] ?? []))),
    };
  });
  return {
    contender: own.contender.name,
    messages: usage === undefined ? '–' : rounded(usage.messages),
    units: usage === undefined ? '–' : rounded(usage.units),
    ...(Object.assign({}, ...columns) as Record<string, string | number>),
  };
}

function bar(container: Container, cells: Map<number, Samples>) {
  const [samples] = cells.values();
  const { name: title, kind } = container.contender;
  return { title, kind, value: rounded(median((samples?.get(container) ?? []).flat())) };
}
