import { variables } from '../../lib/runtime/environment.ts';
import type { TestTable } from '../support/testTable.ts';
import { openTestAccount } from '../support/testTable.ts';
import type { Artifacts } from './artifacts.ts';
import type { FunctionRequest } from './child/job.ts';
import { functionRequest, type OperationName, operations, sampleToken } from './operations.ts';
import { Worker } from './processes.ts';
import type { Bar, Bench } from './section.ts';

/** What is asked on the engine, in this order: changing identifiers leaves none unchanged, and not all can list. */
export const storeOperations = [
  'create',
  'createIdentifiers',
  'update',
  'updateMetadata',
  'updateUnchanged',
  'updateChanged',
  'getItem',
  'listItems',
] as const satisfies OperationName[];

type StoreOperation = (typeof storeOperations)[number];

export interface Contender {
  readonly name: string;
  readonly kind: Bar['kind'];
  /** Left out: the deployed functions. */
  readonly bundle?: (artifacts: Artifacts) => Promise<string>;
  /** Which environment it has: that of a function, or what Lambda sets. */
  readonly env: 'createItem' | 'bare';
  readonly lacks?: readonly StoreOperation[];
}

const overSdk = (kind: Bar['kind'], name: string, file: string): Contender => ({
  name,
  kind,
  bundle: (artifacts) => artifacts.contender(file),
  env: 'bare',
});

/** The least that there can be: what the others are compared with. */
export const floor: Contender = {
  name: 'hand-written floor',
  kind: 'floor',
  bundle: (artifacts) => artifacts.floor(),
  env: 'createItem',
};
const store: Contender = {
  name: 'store',
  kind: 'project',
  bundle: (artifacts) => artifacts.store(),
  env: 'createItem',
};
const functions: Contender = { name: 'whole function', kind: 'project', env: 'createItem' };
const sdkFloor = overSdk('floor', "the same, SDK's own client", 'contenders/floor.ts');
const own: readonly Contender[] = [floor, store, functions, sdkFloor];
const peers: readonly Contender[] = [
  { ...overSdk('peer', 'OneTable', 'peers/oneTable.js'), lacks: ['listItems'] },
  overSdk('peer', 'ElectroDB', 'peers/electroDb.js'),
  { ...overSdk('peer', 'dynamodb-toolbox', 'peers/toolbox.js'), lacks: ['listItems'] },
];

export const contenders = ({ missingPeers }: Bench): readonly Contender[] =>
  missingPeers === undefined ? [...own, ...peers] : own;

/** A contender in a process of its own, with an account of its own in the table. */
export class Container {
  readonly contender: Contender;
  readonly account: string;
  readonly #worker: Worker;
  #next: number;

  private constructor(contender: Contender, account: string, worker: Worker, next: number) {
    this.contender = contender;
    this.account = account;
    this.#worker = worker;
    this.#next = next;
  }

  /** Starts it at an address of the engine, and has it create the items to be updated. */
  static async start(bench: Bench, table: TestTable, dynamodb: string, contender: Contender): Promise<Container> {
    const { items } = bench.sampling;
    const place = { dynamodb, table: table.table, account: await openTestAccount(table) };
    const container = new Container(contender, place.account, await startWorker(bench, place, contender, items), 1);
    // One after another, so that the ids that it leases are the numbers of the requests.
    await container.run('createIdentifiers', items, 1);
    return container;
  }

  /** Starts the deployed functions in an account that has so many items already. */
  static async startFunctions(bench: Bench, place: Place, items: number): Promise<Container> {
    const worker = await startWorker(bench, place, functions, items);
    // What it creates has numbers, and so identifiers, that none of the items has.
    return new Container(functions, place.account, worker, 2 * items);
  }

  can(operation: StoreOperation): boolean {
    return this.contender.lacks?.includes(operation) !== true;
  }

  /** @returns how long each request took, in milliseconds */
  async run(operation: StoreOperation, count: number, clients: number): Promise<readonly number[]> {
    const from = this.#next;
    this.#next += count;
    return (await this.#worker.run({ operation, from, count, clients })).latencies;
  }

  end(): void {
    this.#worker.end();
  }
}

/** Where a container finds its items. */
interface Place {
  readonly dynamodb: string;
  readonly table: string;
  readonly account: string;
}

async function startWorker(
  { artifacts, environments }: Bench,
  { dynamodb, table, account }: Place,
  { bundle, env }: Contender,
  items: number,
): Promise<Worker> {
  const child = await artifacts.child();
  const environment = {
    ...(env === 'bare' ? environments.bare : environments.functions[env]),
    [variables.table]: table,
    [variables.dynamodb]: dynamodb,
    BENCH_ACCOUNT: account,
    BENCH_ITEMS: String(items),
  };
  if (bundle !== undefined) {
    const job = artifacts.job({ bundle: await bundle(artifacts), items });
    return new Worker([child, job], environment);
  }
  const requests: Record<string, FunctionRequest> = {};
  for (const name of storeOperations) {
    const file = await artifacts.function(operations[name].function);
    requests[name] = functionRequest(name, file, account, sampleToken);
  }
  const job = artifacts.job({ bundle: await artifacts.function('createItem'), requests, items });
  return new Worker([child, job], environment);
}
