import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEngineProgram } from '../../../infra/local/engine/findEngineProgram.ts';
import { startEngine } from '../../../infra/local/engine/startEngine.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { tableName } from '../artifacts.ts';
import { writeTable } from '../filledTable.ts';
import { operations } from '../operations.ts';
import { runToEnd } from '../processes.ts';
import type { Bench, Findings, Section } from '../section.ts';
import { median, quantile, rounded } from '../statistics.ts';
import { Container, storeOperations } from '../storeContenders.ts';

const account = 'acme';
/** The items are filled in with a SKU alone, so none has two identifiers to be sent back unchanged. */
const measuredOperations = storeOperations.filter((name) => name !== 'updateUnchanged');

type Latencies = Partial<Record<(typeof storeOperations)[number], readonly number[]>>;

/** How the deployed functions answer when an account has few items, and when it has many. */
export const scale: Section = async (bench): Promise<Findings> => {
  const title = 'The functions on the engine, by the number of items in the account';
  if ((process.env[variables.dynamodb] ?? '') !== '')
    return {
      tables: [],
      notes: [`${title}: left out, since ${variables.dynamodb} is set and only the embedded engine can be filled.`],
    };
  const bySize = new Map<number, Latencies>();
  for (const size of bench.sampling.scale) bySize.set(size, await measureAt(bench, size));
  const rows = measuredOperations.map((operation) => {
    const columns = [...bySize].map(([size, latencies]) => {
      const all = latencies[operation] ?? [];
      const name = size.toLocaleString('en');
      return { [`${name}: p50 ms`]: rounded(median(all)), [`${name}: p99 ms`]: rounded(quantile(all, 0.99)) };
    });
    return { request: operations[operation].title, ...(Object.assign({}, ...columns) as Record<string, number>) };
  });
  const notes = [
    `One client, ${bench.sampling.store.requests} requests a cell, for items all over the account. Every item has a SKU and ` +
      "its guard. The engine's data are in a file, which is filled by the engine's own import.",
  ];
  return { tables: [{ title, rows }], notes };
};

async function measureAt(bench: Bench, size: number): Promise<Latencies> {
  const folder = join(bench.artifacts.folder, `scale-${size}`);
  try {
    await fill(bench, folder, size);
    const engine = await startEngine(folder);
    const container = await Container.startFunctions(
      bench,
      { dynamodb: engine.endpoint, table: tableName, account },
      size,
    );
    try {
      const latencies: Latencies = {};
      const { requests } = bench.sampling.store;
      for (const operation of measuredOperations) {
        bench.progress(`${size} items: ${operations[operation].title}`);
        await container.run(operation, Math.ceil(requests / 4), 1);
        latencies[operation] = await container.run(operation, requests, 1);
      }
      return latencies;
    } finally {
      container.end();
      await engine.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill({ environments, progress }: Bench, folder: string, size: number): Promise<void> {
  const data = join(folder, 'export', tableName, 'data');
  mkdirSync(data, { recursive: true });
  progress(`${size} items: writing them to a file`);
  await writeTable(join(data, 'items.json.gz'), account, size);
  const schema = join(folder, 'schema.json');
  const table = { TableName: tableName, TableStatus: 'ACTIVE', ...environments.tableSchema };
  writeFileSync(schema, JSON.stringify([{ Table: table }]));
  progress(`${size} items: the engine imports them`);
  const [source, output] = [join(folder, 'export'), join(folder, 'catalog.db')];
  await runToEnd(findEngineProgram(), ['import', '--source', source, '--schema', schema, '--output', output]);
}
