import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createItemHandler } from '../../lib/http/createItem.ts';
import type { Dependencies, ProxyHandler } from '../../lib/http/operation.ts';
import { updateItemHandler } from '../../lib/http/updateItem.ts';
import type { Catalog } from '../../lib/item/catalog.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { Database, keyOf } from '../../lib/store/database.ts';
import { dynamoCatalog } from '../../lib/store/dynamoCatalog.ts';
import { keys } from '../../lib/store/keys.ts';
import { lambdaContext, proxyEvent, testCaller } from '../support/proxyEvent.ts';
import type { TestEngine, TestTable } from '../support/testTable.ts';
import { createTestTable, openTestAccount } from '../support/testTable.ts';
import type { Client, Faults } from './faultyClient.ts';
import { drawFault, faultyClient, noFaults } from './faultyClient.ts';
import { Random } from './random.ts';
import { nextRequest } from './requests.ts';
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

export interface History {
  readonly accounts: readonly string[];
  readonly operations: readonly Operation[];
  /** All records of the table at the end. */
  readonly records: readonly JsonObject[];
}

/** A store built wrongly on purpose, at the SDK's boundary or at the catalog's. */
export interface Variant {
  readonly client?: (client: Client) => Client;
  readonly catalog?: (catalog: Catalog, database: Database) => Catalog;
}

export interface HistoryOptions {
  readonly seed: number;
  readonly clients: number;
  /** Requests of each client, before repeats. */
  readonly requests: number;
  readonly faults: Faults;
  readonly variant?: Variant;
}

/**
 * Runs clients with faults on two accounts of a table of their own, and gives what they saw and what is left.
 * @param engine left out: the one that the test run shares
 */
export async function runHistory(options: HistoryOptions, engine?: TestEngine): Promise<History> {
  const table = await createTestTable(engine);
  const accounts = [await openTestAccount(table), await openTestAccount(table)];
  const simulation = new Simulation(new Random(options.seed ^ 0x5eed));
  const operations: Operation[] = [];
  let clock = 0;

  const client = async (index: number, faults: Faults, work: (ask: Ask, random: Random) => Promise<void>) => {
    const random = new Random(options.seed * 1_000 + index);
    let process = startProcess(table, simulation, random, faults, options.variant);
    const ask: Ask = async (request) => {
      const operation: Operation = { ...request, began: clock++, ended: Number.POSITIVE_INFINITY };
      operations.push(operation);
      const response = await Promise.race([process.call(request), process.death]);
      if (response === undefined) {
        process = startProcess(table, simulation, random, faults, options.variant);
        return operation;
      }
      operation.ended = clock++;
      return Object.assign(operation, { answer: response });
    };
    await work(ask, random);
  };

  const [first = '', second = ''] = accounts;
  await simulation.run([client(0, noFaults, (ask) => plant(ask, first))]);
  await tear(table, operations, first);
  const clients = Array.from({ length: options.clients }, (_, index) =>
    client(index + 1, options.faults, async (ask, random) => {
      for (let count = 0; count < options.requests; count += 1) {
        const request = nextRequest(random, [first, second], operations);
        // People save again what was not answered; programs repeat it under its key.
        for (let attempt = 0; attempt < 3; attempt += 1) {
          const { answer } = await ask(request);
          const isTold = answer !== undefined && answer.status !== 503;
          if (isTold || (request.key === undefined && random.chance(0.5))) break;
          if (request.key === undefined && request.id === undefined) break;
        }
      }
    }),
  );
  await simulation.run(clients);
  await simulation.run([client(0, noFaults, (ask) => settle(ask, operations, first))]);
  return { accounts, operations, records: await table.records() };
}

type Ask = (request: AskedRequest) => Promise<Operation>;

/** A process that serves one client until it dies. */
function startProcess(table: TestTable, simulation: Simulation, random: Random, faults: Faults, variant: Variant = {}) {
  const { promise: death, resolve: die } = Promise.withResolvers<undefined>();
  const next = () => drawFault(faults, random);
  const faulty = faultyClient({ client: table.client, simulation, random, next, die: () => die(undefined) });
  const database = new Database(variant.client?.(faulty) ?? faulty, table.table, simulation);
  const catalog = dynamoCatalog(database);
  const dependencies: Dependencies = {
    catalog: variant.catalog?.(catalog, database) ?? catalog,
    now: simulation.now,
    unique: () => `stamp-${random.next()}`,
    observe: () => undefined,
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

/** Some items to begin with, two of them for {@link tear}. */
async function plant(ask: Ask, account: string): Promise<void> {
  await ask({ account, body: { name: 'first', sku: 'A', unit: 'kg' } });
  await ask({ account, body: { name: 'second', pn: 'B' } });
  await ask({ account, body: { name: 'owner', sku: 'torn' } });
  await ask({ account, body: { name: 'restored' } });
}

const restoredId = (operations: readonly Operation[]): number =>
  Number(operations.find(({ body }) => body['name'] === 'restored')?.answer?.data['id']);

/** Leaves an item as a partial restore from a backup does: it has a code whose guard is another item's. */
async function tear({ client, table }: TestTable, operations: readonly Operation[], account: string): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: keyOf(keys.item(account, restoredId(operations))),
      UpdateExpression: 'SET sku = :sku',
      ExpressionAttributeValues: { ':sku': { S: 'torn' } },
    }),
  );
}

/** Takes the code from the restored item, after which all must be sound. */
async function settle(ask: Ask, operations: readonly Operation[], account: string): Promise<void> {
  await ask({ account, id: restoredId(operations), body: { sku: null } });
}
