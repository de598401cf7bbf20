import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import type { OperationDependencies } from '../../lib/http/operation.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { createObserver } from '../../lib/runtime/observer.ts';
import { dynamoCatalogStore } from '../../lib/store/catalog/dynamoCatalogStore.ts';
import { Database } from '../../lib/store/database/database.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import { lambdaContext, proxyEvent, testCaller } from '../support/proxyEvent.ts';
import type { TestTable } from '../support/testTable.ts';
import { createTestTable, openTestAccount } from '../support/testTable.ts';
import { readKinds } from './benchReads.ts';

/** One request, or the calls of one: all that can be made of it beforehand is made. */
export type Work = () => Promise<unknown>;

/** A kind of request. */
export interface Kind {
  readonly name: string;
  /** Makes so many requests to the handler; the items that they change are there and in nobody else's hands. */
  readonly viaHandler: (count: number) => Promise<Work[]>;
  /** The same for the calls that the handler sends, as they are and without it. */
  readonly bare: (count: number) => Promise<Work[]>;
}

/** A command that a handler has sent, and whether its condition was refused. */
interface Sent {
  readonly command: PutCommand | UpdateCommand | TransactWriteCommand;
  readonly isRefused: boolean;
}

/**
 * The item by which the handlers' calls are recorded. All numbers have as many digits, so that a recorded call becomes
 * another item's by replacing the number in its text.
 */
const sample = 5_000_001;

/** Handlers over a table of their own, and for each kind of request the calls that they send, to be sent bare. */
export async function startBench() {
  const engine = await startOwnEngine();
  const table = await createTestTable(engine);
  const account = await openTestAccount(table);
  const { client } = table;
  const Item = { ...keys.counter(account), last: sample - 1 };
  await client.send(new PutCommand({ TableName: table.table, Item }));

  const call = handlers(table, account);
  const create = (number: number) => call.create({ name: 'Chair', value: 12.5, sku: `S${number}`, pn: `P${number}` });
  const bodies = {
    plain: () => ({ value: 13.5, description: 'Oak' }),
    // Costs the index two writes, where a plain update costs it none.
    renamed: (number: number) => ({ name: `Chair ${number}` }),
    unchanged: (number: number) => ({ value: 13.5, sku: `S${number}`, pn: `P${number}` }),
    changed: (number: number) => ({ sku: `T${number}` }),
  };
  const created = await call.recorded(create(sample));
  const createWrite = created.at(-1);
  if (created.length !== 2 || createWrite === undefined) throw new Error('A create leases ids and writes once.');

  let next = sample + 1_000_000;
  const newNumbers = (count: number) => Array.from({ length: count }, () => next++);
  const bare = (sent: readonly Sent[], from: number, number: number): Work => {
    const all = sent.map(({ command, isRefused }) => ({ command: renumbered(command, from, number), isRefused }));
    return async () => {
      for (const { command, isRefused } of all) await expectOutcome(client.send(command as PutCommand), isRefused);
    };
  };
  const newItems = async (count: number): Promise<number[]> => {
    const numbers = newNumbers(count);
    for (const number of numbers) await bare([createWrite], sample, number)();
    return numbers;
  };
  const updateKind = async (name: string, body: (number: number) => object): Promise<Kind> => {
    const [number = 0] = await newItems(1);
    const sent = await call.recorded(call.update(number, body(number)));
    return {
      name,
      viaHandler: async (count) => (await newItems(count)).map((id) => call.update(id, body(id))),
      bare: async (count) => (await newItems(count)).map((id) => bare(sent, number, id)),
    };
  };
  const createKind: Kind = {
    name: 'create with two codes',
    viaHandler: async (count) => newNumbers(count).map(create),
    // A lease of ids is enough for ten.
    bare: async (count) =>
      newNumbers(count).map((number) => bare(number % 10 === 0 ? created : [createWrite], sample, number)),
  };
  return {
    create: createKind,
    plain: await updateKind('plain update', bodies.plain),
    renamed: await updateKind('update of the name', bodies.renamed),
    unchanged: await updateKind('update with unchanged codes', bodies.unchanged),
    changed: await updateKind('change of a code', bodies.changed),
    reads: await readKinds(table),
    close: async () => {
      client.destroy();
      await engine.stop();
    },
  };
}

/** A recorded command as another item's. */
function renumbered(command: Sent['command'], from: number, to: number): Sent['command'] {
  const input = JSON.parse(JSON.stringify(command.input).replaceAll(String(from), String(to)));
  if (command instanceof TransactWriteCommand)
    return new TransactWriteCommand({ ...input, ClientRequestToken: randomUUID() });
  return command instanceof UpdateCommand ? new UpdateCommand(input) : new PutCommand(input);
}

/** Where the handler's condition was refused, the bare one must be too; any other failure is one of the bench. */
async function expectOutcome(sending: Promise<unknown>, isRefused: boolean): Promise<void> {
  try {
    await sending;
  } catch (error) {
    if (isRefused && error instanceof ConditionalCheckFailedException) return;
    throw error;
  }
  if (isRefused) throw new Error('A condition that the handler met refused holds in the bare call.');
}

/** Both handlers in one container, and what they send. */
function handlers({ client, table }: TestTable, account: string) {
  let recording: Sent[] | undefined;
  const send = async (command: Sent['command'], ...rest: unknown[]) => {
    try {
      const output = await Reflect.apply(client.send, client, [command, ...rest]);
      recording?.push({ command, isRefused: false });
      return output;
    } catch (error) {
      recording?.push({ command, isRefused: true });
      throw error;
    }
  };
  const dependencies: OperationDependencies = {
    store: dynamoCatalogStore(new Database({ send: send as TestTable['client']['send'] }, table)),
    now: Date.now,
    newWriteId: randomUUID,
    observe: createObserver({ write: () => undefined, table, now: Date.now, errorsOnly: false }),
    corsOrigins: ['*'],
  };
  const createItem = createItemHandler(dependencies);
  const updateItem = updateItemHandler(dependencies);
  const caller = testCaller(account, { expiresAt: Math.floor(Date.now() / 1000) + 24 * 60 * 60 });
  const expectStatus = async (status: number, answer: Promise<{ statusCode: number; body: string }>) => {
    const { statusCode, body } = await answer;
    if (statusCode !== status) throw new Error(`Answered ${statusCode}: ${body}`);
  };
  return {
    create: (body: object): Work => {
      const event = proxyEvent({ caller, body });
      return () => expectStatus(201, createItem(event, lambdaContext()));
    },
    update: (id: number, body: object): Work => {
      const event = proxyEvent({ caller, body, id });
      return () => expectStatus(200, updateItem(event, lambdaContext()));
    },
    /** The writes that a request sends. */
    recorded: async (request: Work): Promise<readonly Sent[]> => {
      const sent: Sent[] = [];
      recording = sent;
      await request();
      recording = undefined;
      return sent.filter(({ command }) => command.constructor.name !== 'QueryCommand');
    },
  };
}
