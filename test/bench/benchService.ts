import { randomUUID } from 'node:crypto';
import type { DynamoDBClient as Client } from '@aws-sdk/client-dynamodb';
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { createApp } from '../../infra/catalogApp.ts';
import { startEngine } from '../../infra/local/engine.ts';
import { readDeployment } from '../../infra/local/readDeployment.ts';
import { createItemHandler } from '../../lib/http/createItem.ts';
import type { Dependencies } from '../../lib/http/operation.ts';
import { updateItemHandler } from '../../lib/http/updateItem.ts';
import { startWork } from '../../lib/item/catalog.ts';
import { createObserver } from '../../lib/runtime/observe.ts';
import { Database, keyOf } from '../../lib/store/database.ts';
import { dynamoCatalog } from '../../lib/store/dynamoCatalog.ts';
import { keys } from '../../lib/store/keys.ts';
import { openAccount } from '../../lib/store/registry.ts';
import { lambdaContext, proxyEvent, testCaller } from '../support/proxyEvent.ts';

/** A kind of request, done for the item (or, in a create, the codes) of a number. */
export interface Kind {
  readonly name: string;
  /** Whether each request needs an item that no other has changed; undefined: none at all. */
  readonly needs: 'fresh item' | 'nothing';
  readonly viaHandler: (number: number) => Promise<unknown>;
  readonly bare: (number: number) => Promise<unknown>;
}

/**
 * The item by which the handlers' calls are recorded. All numbers have as many digits, so that a recorded call becomes
 * another item's by replacing the number in its text.
 */
const sample = 5_000_001;

type Sent = PutItemCommand | UpdateItemCommand | TransactWriteItemsCommand;

/** Handlers over a table of their own, and for each kind of request the calls that they send, to be sent bare. */
export async function startBench(table: string) {
  const engine = await startEngine();
  const [stack] = createApp({ environment: 'dev', bundling: false }).synth().stacks;
  const client = new DynamoDBClient({
    endpoint: engine.endpoint,
    maxAttempts: 1,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await client.send(
    new CreateTableCommand({ TableName: table, ...readDeployment(stack?.template, table).table.schema }),
  );
  const account = 'bench';
  await openAccount(new Database(client, table), startWork(Date.now() + 8_000), account);
  const Item = { ...keyOf(keys.counter(account)), last: { N: String(sample - 1) } };
  await client.send(new PutItemCommand({ TableName: table, Item }));

  const call = handlers(client, table, account);
  const create = (number: number) => ({ name: 'Chair', value: 12.5, sku: `S${number}`, pn: `P${number}` });
  const bodies = {
    plain: () => ({ value: 13.5, description: 'Oak' }),
    unchanged: (number: number) => ({ value: 13.5, sku: `S${number}`, pn: `P${number}` }),
    changed: (number: number) => ({ sku: `T${number}` }),
  };
  const sent = {
    create: await call.recorded(() => call.create(create(sample))),
    plain: await call.recorded(() => call.update(sample, bodies.plain())),
    unchanged: await call.recorded(() => call.update(sample, bodies.unchanged(sample))),
  };
  const untouched = sample + 1;
  await call.create(create(untouched));
  const changed = await call.recorded(() => call.update(untouched, bodies.changed(untouched)));

  const bare = (commands: readonly Sent[], from: number) => async (number: number) => {
    for (const command of commands) await resend(client, command, from, number).catch(() => undefined);
  };
  const [, createWrite] = sent.create;
  const bareCreate = async (number: number) => {
    await bare(number % 10 === 0 ? sent.create : sent.create.slice(-1), sample)(number);
  };
  const update = (body: (number: number) => object) => (number: number) => call.update(number, body(number));
  let next = sample + 1_000_000;
  const numbers = (count: number) => Array.from({ length: count }, () => next++);
  if (createWrite === undefined) throw new Error('A create with codes leases ids and writes once.');
  const kinds = {
    create: {
      name: 'create with two codes',
      needs: 'nothing',
      viaHandler: (number) => call.create(create(number)),
      bare: bareCreate,
    },
    plain: {
      name: 'plain update',
      needs: 'fresh item',
      viaHandler: update(bodies.plain),
      bare: bare(sent.plain, sample),
    },
    unchanged: {
      name: 'update with unchanged codes',
      needs: 'fresh item',
      viaHandler: update(bodies.unchanged),
      bare: bare(sent.unchanged, sample),
    },
    changed: {
      name: 'change of a code',
      needs: 'fresh item',
      viaHandler: update(bodies.changed),
      bare: bare(changed, untouched),
    },
  } satisfies Record<string, Kind>;
  return {
    kinds,
    /** Numbers for a turn of requests, with items behind them where the kind needs them. */
    prepare: async ({ needs }: Kind, count: number): Promise<number[]> => {
      const prepared = numbers(count);
      if (needs === 'fresh item') for (const number of prepared) await resend(client, createWrite, sample, number);
      return prepared;
    },
    close: () => engine.stop(),
  };
}

export type BenchService = Awaited<ReturnType<typeof startBench>>;

/** Sends a recorded command as another item's. */
function resend(client: Client, command: Sent, from: number, to: number): Promise<unknown> {
  const input = JSON.parse(JSON.stringify(command.input).replaceAll(String(from), String(to)));
  if (command instanceof TransactWriteItemsCommand)
    return client.send(new TransactWriteItemsCommand({ ...input, ClientRequestToken: randomUUID() }));
  if (command instanceof UpdateItemCommand) return client.send(new UpdateItemCommand(input));
  return client.send(new PutItemCommand(input));
}

/** Both handlers in one container, and what they send. */
function handlers(client: Client, table: string, account: string) {
  let recording: Sent[] = [];
  const send = (command: Sent, ...rest: unknown[]) => {
    recording.push(command);
    return Reflect.apply(client.send, client, [command, ...rest]);
  };
  const database = new Database({ send: send as Client['send'] }, table);
  const dependencies: Dependencies = {
    catalog: dynamoCatalog(database),
    now: Date.now,
    unique: randomUUID,
    observe: createObserver({ write: () => undefined, table, now: Date.now, errorsOnly: false }),
    corsOrigins: ['*'],
  };
  const createItem = createItemHandler(dependencies);
  const updateItem = updateItemHandler(dependencies);
  const caller = testCaller(account, { expiresAt: Math.floor(Date.now() / 1000) + 24 * 60 * 60 });
  const expectStatus = async (status: number, answer: Promise<{ statusCode: number; body: string }>) => {
    recording = recording.slice(-10);
    const { statusCode, body } = await answer;
    if (statusCode !== status) throw new Error(`Answered ${statusCode}: ${body}`);
  };
  return {
    create: (body: object) => expectStatus(201, createItem(proxyEvent({ caller, body }), lambdaContext())),
    update: (id: number, body: object) =>
      expectStatus(200, updateItem(proxyEvent({ caller, body, id }), lambdaContext())),
    recorded: async (request: () => Promise<void>): Promise<Sent[]> => {
      recording = [];
      await request();
      return recording.filter((command) => 'input' in command && command.constructor.name !== 'QueryCommand');
    },
  };
}
