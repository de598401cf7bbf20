import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { CatalogStore } from '../../lib/catalog/catalogStore.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import type { Observation, Observe } from '../../lib/http/observation.ts';
import type { OperationDependencies, ProxyHandler } from '../../lib/http/operation.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoCatalogStore } from '../../lib/store/catalog/dynamoCatalogStore.ts';
import { Database } from '../../lib/store/database/database.ts';
import { lambdaContext, proxyEvent, testCaller } from '../support/proxyEvent.ts';
import { Random } from '../support/random.ts';
import { stored } from '../support/storedRecords.ts';
import type { TestEngine, TestTable } from '../support/testTable.ts';
import { createTestTable, openTestAccount } from '../support/testTable.ts';
import type { Client, Fault } from './faultyClient.ts';
import { faultyClient } from './faultyClient.ts';
import { Simulation } from './simulation.ts';

/** What a client asks. */
export interface AskedRequest {
  readonly account: string;
  readonly body: JsonObject;
  /** The item to update; undefined: a create. */
  readonly id?: number;
  readonly ifMatch?: number;
  readonly key?: string;
}

/** One request as its client saw it, and when: the order of beginnings and ends is the real one. */
export interface Operation extends AskedRequest {
  readonly began: number;
  /** Infinity: it never ended for its client. */
  ended: number;
  /** Undefined: no answer came. */
  answer?: {
    readonly status: number;
    readonly code: string | undefined;
    readonly data: JsonObject;
    readonly revision: number;
    readonly replayed: boolean;
  };
}

/** What was done to an item past the service, right after it was created. */
export interface Planted {
  readonly account: string;
  readonly id: number;
  /** The fields that it has since then. */
  readonly fields: JsonObject;
}

export interface History {
  readonly accounts: readonly string[];
  readonly operations: readonly Operation[];
  readonly planted: readonly Planted[];
  /** All records of the table at the end. */
  readonly records: readonly JsonObject[];
}

/** A store built wrongly on purpose, at the SDK's boundary or at the catalog's. */
export interface Variant {
  readonly client?: (client: Client) => Client;
  readonly catalog?: (catalog: CatalogStore, database: Database) => CatalogStore;
}

/** Which fault, if any, the next call of a client's process meets. */
export type NextFault = (random: Random) => Fault | undefined;

export type Ask = (request: AskedRequest) => Promise<Operation>;

/** A client and the process that serves it. */
interface Actor {
  readonly next: NextFault;
  /** How far its clock is ahead of the simulation's, in milliseconds; left out: no two machines' clocks agree. */
  readonly ahead?: number;
  readonly work: (ask: Ask, random: Random) => Promise<void>;
}

/** Two accounts in a table of their own, and what clients ask of them in virtual time. */
export interface Scene {
  readonly table: TestTable;
  readonly accounts: readonly [string, string];
  readonly operations: readonly Operation[];
  /** What the processes observed of the requests that they answered. */
  readonly observations: readonly Observation[];
  /** Lets clients work at the same time, until all have ended. */
  play(actors: readonly Actor[]): Promise<void>;
  /** Lets virtual time pass, in milliseconds. */
  pass(milliseconds: number): Promise<void>;
  /**
   * What there is to check now.
   * @param planted what was done past the service
   */
  history(planted?: readonly Planted[]): Promise<History>;
  /** Deletes the table. */
  close(): Promise<void>;
}

/**
 * @param seed decides every fault and interleaving
 * @param engine left out: the one that the test run shares
 */
export async function openScene(seed: number, variant?: Variant, engine?: TestEngine): Promise<Scene> {
  const table = await createTestTable(engine);
  const accounts = [await openTestAccount(table), await openTestAccount(table)] as const;
  const simulation = new Simulation(new Random(seed ^ 0x5eed));
  const operations: Operation[] = [];
  const observations: Observation[] = [];
  let clock = 0;
  let actorCount = 0;

  const act = async (actor: Actor): Promise<void> => {
    const random = new Random(seed * 1_000 + actorCount++);
    const observe: Observe = (observation) => observations.push(observation);
    const start = () => startProcess({ table, simulation, random, actor, variant, observe });
    let process = start();
    await actor.work(async (request) => {
      const operation: Operation = { ...request, began: clock++, ended: Number.POSITIVE_INFINITY };
      operations.push(operation);
      const answer = await Promise.race([process.call(request), process.death]);
      if (answer === undefined) process = start();
      else Object.assign(operation, { answer, ended: clock++ });
      return operation;
    }, random);
  };
  return {
    table,
    accounts,
    operations,
    observations,
    play: (actors) => simulation.run(actors.map(act)),
    pass: (milliseconds) => simulation.run([simulation.sleep(milliseconds)]),
    history: async (planted = []) => ({ accounts, operations, planted, records: await stored(table) }),
    close: async () => {
      await table.client.send(new DeleteTableCommand({ TableName: table.table }));
      table.client.destroy();
    },
  };
}

/** How far two processes' clocks may differ, in milliseconds. */
const mostSkew = 5_000;

export const withoutFaults: NextFault = () => undefined;

interface ProcessOptions {
  readonly table: TestTable;
  readonly simulation: Simulation;
  readonly random: Random;
  readonly actor: Actor;
  readonly variant: Variant | undefined;
  readonly observe: Observe;
}

/** A process that serves one client until it dies. */
function startProcess({ table, simulation, random, actor, variant = {}, observe }: ProcessOptions) {
  const { promise: death, resolve: die } = Promise.withResolvers<undefined>();
  const faulty = faultyClient({
    client: table.client,
    simulation,
    random,
    next: () => actor.next(random),
    die: () => die(undefined),
  });
  const { ahead = Math.round((random.next() - 0.5) * mostSkew) } = actor;
  const now = () => simulation.now() + ahead;
  const world = { now, random: simulation.random, sleep: simulation.sleep };
  const database = new Database(variant.client?.(faulty) ?? faulty, table.table, world);
  const catalog = dynamoCatalogStore(database);
  const dependencies: OperationDependencies = {
    store: variant.catalog?.(catalog, database) ?? catalog,
    now,
    newWriteId: () => `stamp-${random.next()}`,
    observe,
    corsOrigins: ['*'],
  };
  const create = createItemHandler(dependencies);
  const update = updateItemHandler(dependencies);
  return {
    death,
    call: (request: AskedRequest) => call(request.id === undefined ? create : update, request, simulation.now()),
  };
}

async function call(handler: ProxyHandler, { account, body, id, ifMatch, key }: AskedRequest, now: number) {
  const event: APIGatewayProxyEvent = proxyEvent({
    caller: testCaller(account, { expiresAt: now / 1000 + 1_000_000 }),
    body,
    ...(id !== undefined && { id }),
    headers: {
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  });
  const { statusCode: status, headers = {}, body: text } = await handler(event, lambdaContext());
  const { data = {}, error } = JSON.parse(text) as { data?: JsonObject; error?: { code: string } };
  const revision = Number(String(headers['etag'] ?? '').replaceAll('"', ''));
  return { status, code: error?.code, data, revision, replayed: headers['idempotency-replayed'] === 'true' };
}
