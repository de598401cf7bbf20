import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import type { JsonObject } from '../../lib/item/json.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { inOrder } from '../support/table/storedRecords.ts';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';
import { Random } from '../support/time/random.ts';
import { Simulation } from '../support/time/simulation.ts';
import type { Command } from './failures.ts';
import { type Fault, faultyClient, longest } from './faultyClient.ts';
import type { ClientRequest, ClientResponse, History, Operation } from './history.ts';
import { type Serve, startProcess, type Variant } from './process.ts';

/** The fault of the next call of a client's process, if any. */
export type NextFault = (random: Random, command: Command) => Fault | undefined;

export type Ask = (request: ClientRequest) => Promise<Operation>;

/** Sends requests of an account as a batch with a key. */
type AskBatch = (requests: readonly ClientRequest[], key: string) => Promise<readonly Operation[]>;

/** A client and the process that serves it. */
export interface Actor {
  readonly next: NextFault;
  /** How far its clock is ahead of the simulation's, in milliseconds. By default, random, so that clocks differ. */
  readonly ahead?: number;
  readonly work: (ask: Ask, random: Random, askBatch: AskBatch) => Promise<void>;
}

export interface SceneTable {
  readonly client: DocumentSender;
  readonly table: string;
  /** All records, sorted. */
  readonly records: () => Promise<JsonObject[]>;
  readonly close: () => Promise<void>;
}

/** An in-memory table, which takes a tenth of the time of one in the engine. */
const memoryScene = (): SceneTable => {
  const client = new MemoryTable();
  return { client, table: 'table', records: async () => inOrder(client.records()), close: async () => undefined };
};

/** A table in the engine that the test run shares. */
export async function engineScene(): Promise<SceneTable> {
  const { client, table, records } = await createTestTable();
  const close = async (): Promise<void> => {
    await client.send(new DeleteTableCommand({ TableName: table }));
    client.destroy();
  };
  return { client, table, records: async () => inOrder(await records()), close };
}

/** Two accounts in a new table, and clients that send requests in virtual time. */
export interface Scene {
  readonly table: SceneTable;
  readonly accounts: readonly [string, string];
  readonly operations: readonly Operation[];
  /** Runs clients concurrently until all have ended. */
  play(actors: readonly Actor[]): Promise<void>;
  /** Lets virtual time pass without clients, in milliseconds. */
  pass(milliseconds: number): Promise<void>;
  /** The history to check when no request to DynamoDB is in flight any more. */
  history(): Promise<History>;
  close(): Promise<void>;
}

/** @param seed decides every fault and interleaving */
export async function openScene(seed: number, variant?: Variant, table: SceneTable = memoryScene()): Promise<Scene> {
  const database = new Database(table.client, table.table);
  const accounts = ['acme', 'other'] as const;
  for (const account of accounts) await openTestAccount({ database }, account);
  const simulation = new Simulation(new Random(seed ^ 0x5eed));
  const operations: Operation[] = [];
  let clock = 0;
  let actorCount = 0;

  const act = async (actor: Actor): Promise<void> => {
    const random = new Random(seed * 1_000 + actorCount++);
    /** Those of the client's request under way. A batch's request to DynamoDB may be for any of its rows. */
    let underWay: readonly Operation[] = [];
    const mark = (what: Partial<Operation>, isMeant: (operation: Operation) => boolean = () => true) => {
      for (const operation of underWay) if (isMeant(operation)) Object.assign(operation, what);
    };
    const start = () => {
      const { promise: death, resolve: die } = Promise.withResolvers<undefined>();
      const { ahead = Math.round((random.next() - 0.5) * mostSkew) } = actor;
      const client = faultyClient({
        client: table.client,
        simulation,
        random,
        next: (command) => actor.next(random, command),
        die: () => die(undefined),
        confirmed: () => mark({ isConfirmed: true }, () => underWay.length === 1),
        doubled: () => mark({ isDeliveredTwice: true }),
        read: () => mark({ isAnsweredByRead: true }, ({ id }) => id !== undefined),
      });
      const clock = { now: () => simulation.now() + ahead, random: simulation.random, sleep: simulation.sleep };
      const newWriteId = () => `stamp-${random.next()}`;
      return { death, serve: startProcess({ client, table: table.table, clock, variant, newWriteId }) };
    };
    let process = start();
    const send = async <Sent extends ClientRequest>(
      requests: readonly Sent[],
      serve: (by: Serve) => Promise<readonly ClientResponse[]>,
    ): Promise<readonly Operation[]> => {
      const began = clock++;
      const sent: Operation[] = requests.map((each) => ({ ...each, began, ended: Number.POSITIVE_INFINITY }));
      underWay = sent;
      operations.push(...sent);
      const responses = await Promise.race([serve(process.serve), process.death]);
      if (responses === undefined) process = start();
      const ended = clock++;
      for (const [index, response] of (responses ?? []).entries())
        Object.assign(sent[index] ?? {}, { response, ended });
      return sent;
    };
    const ask: Ask = async (request) => {
      const [operation] = await send([request], async (serve) => [await serve(request)]);
      return operation as Operation;
    };
    const askBatch: AskBatch = (requests, key) =>
      send(
        requests.map((each, index) => ({ ...each, key: `${key} ${index + 1}` })),
        (serve) => serve.batch(requests, key),
      );
    await actor.work(ask, random, askBatch);
  };

  return {
    table,
    accounts,
    operations,
    play: (actors) => simulation.run(actors.map(act)),
    pass: (milliseconds) => simulation.run([simulation.sleep(milliseconds)]),
    history: async () => {
      await simulation.run([simulation.sleep(longest)]);
      return { accounts, operations, planted: [], reads: [], records: await table.records() };
    },
    close: table.close,
  };
}

/** How far two processes' clocks may differ, in milliseconds. */
const mostSkew = 5_000;

export const withoutFaults: NextFault = () => undefined;
