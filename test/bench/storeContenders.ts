import { variables } from '../../lib/runtime/environment.ts';
import type { TestTable } from '../support/testTable.ts';
import { openTestAccount } from '../support/testTable.ts';
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
  readonly file?: string;
  readonly lacks?: readonly StoreOperation[];
}

export const floor: Contender = { name: 'hand-written floor', kind: 'floor', file: 'contenders/floor.ts' };

const storeFile = 'contenders/store.ts';
const functions: Contender = { name: 'whole function', kind: 'project' };
const own: readonly Contender[] = [floor, { name: 'store', kind: 'project', file: storeFile }, functions];
const peers: readonly Contender[] = [
  { name: 'OneTable', kind: 'peer', file: 'peers/oneTable.js', lacks: ['listItems'] },
  { name: 'ElectroDB', kind: 'peer', file: 'peers/electroDb.js' },
  { name: 'dynamodb-toolbox', kind: 'peer', file: 'peers/toolbox.js', lacks: ['listItems'] },
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
  { file }: Contender,
  items: number,
): Promise<Worker> {
  const child = await artifacts.child();
  const place = {
    [variables.table]: table,
    [variables.dynamodb]: dynamodb,
    BENCH_ACCOUNT: account,
    BENCH_ITEMS: String(items),
  };
  const start = (bundle: string, env: Readonly<Record<string, string>>) =>
    new Worker([child, artifacts.job({ bundle, items })], { ...env, ...place });
  if (file === storeFile) return start(await artifacts.store(), environments.functions.createItem);
  if (file !== undefined) return start(await artifacts.contender(file), environments.bare);
  const requests: Record<string, FunctionRequest> = {};
  for (const name of storeOperations) {
    const bundle = await artifacts.function(operations[name].function);
    requests[name] = functionRequest(name, bundle, account, sampleToken);
  }
  const job = artifacts.job({ bundle: await artifacts.function('createItem'), requests, items });
  return new Worker([child, job], { ...environments.functions.createItem, ...place });
}
