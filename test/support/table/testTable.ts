import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { openAccount } from '../../../admin/accounts/accounts.ts';
import type { CatalogReader, IdempotencyKey, ItemWriter, OpenStore } from '../../../lib/catalog/catalogStore.ts';
import { type RequestContext, timedContext } from '../../../lib/catalog/requestContext.ts';
import { PreconditionFailed } from '../../../lib/catalog/updateItem.ts';
import type { ItemFields } from '../../../lib/item/fields.ts';
import type { Item, ItemChange } from '../../../lib/item/item.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { configureAccount } from '../../../lib/store/catalog/configureAccount.ts';
import { dynamoCatalogReader, dynamoItemWriter } from '../../../lib/store/catalog/dynamoCatalog.ts';
import { Database } from '../../../lib/store/database/database.ts';
import { documentClient } from '../../../lib/store/sdk/connect.ts';
import type { TableDefinition } from '../../../local/template/readDeployment.ts';
import { defaultFields } from '../items/sampleItem.ts';
import { scanAll } from './scanAll.ts';

type Sender = Pick<DynamoDBDocumentClient, 'send'>;

/** Where to create a table, and its schema. */
export interface TestEngine {
  readonly dynamodb: string;
  readonly tableSchema: TableDefinition['schema'];
}

/** What the run's global setup provides. Vitest is only available during its run. */
async function runsEngine(): Promise<TestEngine> {
  const { inject } = await import('vitest');
  return { dynamodb: inject('dynamodb'), tableSchema: inject('tableSchema') };
}

/**
 * A new table, with the stack's schema.
 * @param engine by default, the one that the test run shares
 */
export async function createTestTable(engine?: TestEngine, table = `test-${randomUUID()}`) {
  const { dynamodb, tableSchema } = engine ?? (await runsEngine());
  const client = patient(documentClient(new DynamoDBClient({ endpoint: dynamodb, maxAttempts: 1 })));
  await client.send(new CreateTableCommand({ TableName: table, ...tableSchema }));
  return {
    client,
    table,
    database: new Database(client, table),
    /** All records, including guards and counters. */
    records: () => scanAll(client, table),
  };
}

/** Waits for each response, because on a busy machine the engine may take longer than the store waits for one. */
function patient(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = client.send.bind(client) as (command: unknown, options?: object) => Promise<object>;
  const sendPatiently = (command: unknown, options?: { readonly requestTimeout?: number }) =>
    send(command, options?.requestTimeout === undefined ? options : undefined);
  return Object.assign(client, { send: sendPatiently });
}

/** Enough time for any request, in milliseconds, because no test is about the machine's speed. */
const hour = 60 * 60 * 1_000;

export type TestTable = Awaited<ReturnType<typeof createTestTable>>;

/** An open account with the categories 1 `General`, its default, and 2 `Furniture`. */
export async function openTestAccount(
  { database }: Pick<TestTable, 'database'>,
  account = `account-${randomUUID()}`,
): Promise<string> {
  const work = timedContext(Date.now() + hour);
  await openAccount(database.for(work), account);
  await configureAccount(database.for(work), account).addCategory('General');
  await configureAccount(database.for(work), account).addCategory('Furniture');
  await configureAccount(database.for(work), account).setDefaults({ category: 1 });
  return account;
}

/** One request of one user, with enough time. */
export const testCall = (account: string): RequestContext => ({
  ...timedContext(Date.now() + hour),
  account,
  user: 'user-1',
  writeId: randomUUID(),
});

/** A client that records the name of each command that it sends. */
export function recording(client: Sender): { client: Sender; sent: string[] } {
  const sent: string[] = [];
  const send: Sender['send'] = (command: { constructor: { name: string } }, ...rest: unknown[]) => {
    sent.push(command.constructor.name.replace(/Command$/, ''));
    return Reflect.apply(client.send, client, [command, ...rest]);
  };
  return { client: { send }, sent };
}

/** A container that writes. */
export type Container = OpenStore<ItemWriter>;

/** A new container: a catalog that has cached and leased nothing. */
export const newContainer = ({ client, table }: { client: Sender; table: string }): Container =>
  dynamoItemWriter(new Database(client, table));

/** A new container that only reads: a catalog that has cached nothing. */
export const newReader = ({ client, table }: { client: Sender; table: string }): OpenStore<CatalogReader> =>
  dynamoCatalogReader(new Database(client, table));

/** What the user of an account writes in a container. */
export const writerOf = (container: Container, account: string) => ({
  /** Creates an item, and returns only that, because most tests need no more. */
  create: async (fields: Partial<ItemFields> = {}): Promise<Item> =>
    (await container(testCall(account)).insertItem(itemFields(fields))).item,

  /** Updates an item as the use case does: with the cached account, and an error if the revision is outdated. */
  update: async (
    id: number,
    change: ItemChange,
    revisions?: readonly number[],
    { key, user = 'user-1' }: { key?: IdempotencyKey | undefined; user?: string } = {},
  ): Promise<Item> => {
    const store = container({ ...testCall(account), user });
    const call = { id, change, revisions, account: await store.account(), key };
    const { item, isOutdated } = await store.modifyItem(call);
    if (isOutdated) throw new PreconditionFailed({ item, categoryName: null });
    return item;
  },
});

/** A new table with an open account, and what its user writes in one container. */
export async function openTestCatalog(account?: string) {
  const table = await createTestTable();
  const opened = await openTestAccount(table, account);
  const container = newContainer(table);
  return { table, account: opened, container, ...writerOf(container, opened) };
}

/** The fields of an item, with defaults for those that do not matter to a test. */
export const itemFields = (fields: Partial<ItemFields> = {}): ItemFields => ({ ...defaultFields, ...fields });

/** The guards of an account as `SKU#A` → the owner's id. */
export const guardsOf = (records: readonly JsonObject[], account: string): Record<string, number> =>
  Object.fromEntries(
    records
      .filter((record) => record['sk'] === 'GUARD' && String(record['pk']).startsWith(`ACCOUNT#${account}#`))
      .map((record) => [String(record['pk']).slice(`ACCOUNT#${account}#`.length), Number(record['item_id'])]),
  );
