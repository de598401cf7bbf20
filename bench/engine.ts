import { isDeepStrictEqual } from 'node:util';
import { variables } from '../lib/runtime/environment.ts';
import { startOwnEngine } from '../test/support/ownEngine.ts';
import { createTestTable, openTestAccount, type TestTable } from '../test/support/testTable.ts';
import { Container, type Contender, takeTurns } from './contender.ts';
import { startMeter } from './meter.ts';
import { type OperationName, operations } from './requests.ts';
import { runs } from './statistics.ts';
import type { Setting } from './worker.ts';

/** In this order, because changed identifiers cannot be sent unchanged. */
const measured = [
  'create',
  'createIdentifiers',
  'update',
  'updateMetadata',
  'updateUnchanged',
  'updateChanged',
  'getItem',
  'listItems',
] as const satisfies OperationName[];

/** How many items each contender has. */
const items = 256;

/** What one operation costs a contender. */
export interface EngineCost {
  readonly contender: string;
  /** The median in each run, in microseconds. */
  readonly times: readonly number[];
  /** For one request. */
  readonly messages: number;
  readonly units: number;
}

export type EngineSamples = ReadonlyMap<OperationName, readonly EngineCost[]>;

/** Measures contenders on the embedded engine, each with an account of its own, one request at a time. */
export async function measureEngine(
  setting: Setting,
  contenders: readonly Contender[],
  progress: (text: string) => void,
): Promise<EngineSamples> {
  const engine = await startOwnEngine();
  const table = await createTestTable(engine);
  const containers: Container[] = [];
  try {
    progress('counting messages and units');
    const usage = await countUsage(setting, table, engine.dynamodb, contenders);
    for (const contender of contenders) containers.push(await start(setting, table, engine.dynamodb, contender));
    const samples = new Map<OperationName, EngineCost[]>();
    for (const operation of measured) {
      progress(`${operations[operation].title} on the engine`);
      const able = containers.filter(({ contender }) => !contender.lacks.includes(operation));
      // A page is as much work as many items.
      const requests = operation === 'listItems' ? 50 : 200;
      await takeTurns(able, operation, { turns: 1, requests });
      const turns = await takeTurns(able, operation, { turns: runs, requests });
      const costs = able.map(({ contender: { name } }, index) => {
        const times = (turns[index] ?? []).map(({ time }) => time);
        return { contender: name, times, ...usage(name, operation) };
      });
      samples.set(operation, costs);
    }
    return samples;
  } finally {
    for (const container of containers) await container.end();
    table.client.destroy();
    await engine.stop();
  }
}

/** Starts a contender that sends to this address, and has it create its items. */
async function start(setting: Setting, table: TestTable, address: string, contender: Contender): Promise<Container> {
  const account = await openTestAccount(table);
  const container = new Container(setting, contender, account, {
    [variables.table]: table.table,
    [variables.dynamodb]: address,
    BENCH_ACCOUNT: account,
    BENCH_ITEMS: String(items),
  });
  await container.run('createIdentifiers', items);
  return container;
}

/** Counts what each request takes of DynamoDB. @throws an error if the contenders do not leave the same items behind */
async function countUsage(setting: Setting, table: TestTable, engine: string, contenders: readonly Contender[]) {
  const meter = await startMeter(engine);
  const usages = new Map<string, { messages: number; units: number }>();
  let expected: unknown;
  for (const contender of contenders) {
    const container = await start(setting, table, meter.url, contender);
    for (const operation of measured.filter((each) => !contender.lacks.includes(each))) {
      // What a container needs only once is not counted, and ids are leased by ten.
      await container.run(operation, 4);
      meter.take();
      await container.run(operation, 10);
      const { messages, units } = meter.take();
      usages.set(`${contender.name} ${operation}`, { messages: messages / 10, units: units / 10 });
    }
    await container.end();
    const left = await itemsOf(table, container.account);
    expected ??= left;
    if (!isDeepStrictEqual(left, expected)) throw new Error(`${contender.name} leaves other items behind`);
  }
  meter.close();
  return (contender: string, operation: OperationName) =>
    usages.get(`${contender} ${operation}`) ?? { messages: Number.NaN, units: Number.NaN };
}

/** The items of an account that were updated, as far as all contenders must agree on them. */
async function itemsOf(table: TestTable, account: string): Promise<unknown> {
  const records = await table.records();
  return records
    .filter(({ pk, id }) => pk === `ACCOUNT#${account}#ITEMS` && Number(id) <= items)
    .map(({ id, name, value, description, sku, pn, metadata, revision, list_sk }) => ({
      ...{ id, name, value, description, sku, pn },
      ...{ metadata, revision, list_sk },
    }))
    .sort((a, b) => Number(a.id) - Number(b.id));
}
