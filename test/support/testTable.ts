import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableDefinition } from '../../infra/local/template/deployment.ts';
import type { CatalogReader } from '../../lib/catalog/catalogReader.ts';
import type { CatalogStore } from '../../lib/catalog/catalogStore.ts';
import { PreconditionFailed } from '../../lib/catalog/preconditionFailed.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import type { Item, ItemChange, ItemFields } from '../../lib/item/item.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { addCategory, openAccount, setDefaults } from '../../lib/operator/accounts.ts';
import { dynamoCatalogReader } from '../../lib/store/catalog/dynamoCatalogReader.ts';
import { dynamoCatalogStore } from '../../lib/store/catalog/dynamoCatalogStore.ts';
import { Database } from '../../lib/store/database/database.ts';
import { documentClient } from '../../lib/store/database/documentClient.ts';
import { ListReader } from '../../lib/store/database/listReader.ts';
import { defaultFields } from './sampleItem.ts';
import { scanAll } from './scanAll.ts';

type Sender = Pick<DynamoDBDocumentClient, 'send'>;

/** Where a table is made, and in which shape. */
export interface TestEngine {
  readonly dynamodb: string;
  readonly tableSchema: TableDefinition['schema'];
}

/** What the run's global set-up provides; Vitest is there only within its run. */
async function runsEngine(): Promise<TestEngine> {
  const { inject } = await import('vitest');
  return { dynamodb: inject('dynamodb'), tableSchema: inject('tableSchema') };
}

/**
 * A table of its own, in the stack's own shape.
 * @param engine left out: the one that the test run shares
 */
export async function createTestTable(engine?: TestEngine) {
  const { dynamodb, tableSchema } = engine ?? (await runsEngine());
  const client = patient(documentClient(new DynamoDBClient({ endpoint: dynamodb, maxAttempts: 1 })));
  const table = `test-${randomUUID()}`;
  await client.send(new CreateTableCommand({ TableName: table, ...tableSchema }));
  return {
    client,
    table,
    database: new Database(client, table),
    /** All records, the guards and counters among them. */
    records: () => scanAll(client, table),
  };
}

/** Waits for every answer: on a busy machine the engine may take longer than the store waits for a message. */
function patient(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = client.send.bind(client) as (command: unknown) => Promise<object>;
  return Object.assign(client, { send: (command: unknown) => send(command) });
}

/** Time enough for any request, in milliseconds: no test is about how fast the machine is. */
const hour = 60 * 60 * 1_000;

export type TestTable = Awaited<ReturnType<typeof createTestTable>>;

/** An open account with the categories 1 `General`, its default, and 2 `Furniture`. */
export async function openTestAccount(
  { database }: Pick<TestTable, 'database'>,
  account = `account-${randomUUID()}`,
): Promise<string> {
  const work = timedContext(Date.now() + hour);
  await openAccount(database, work, account);
  await addCategory(database, work, account, 'General');
  await addCategory(database, work, account, 'Furniture');
  await setDefaults(database, work, account, { category: 1 });
  return account;
}

/** One request of one user, with time enough. */
export const testCall = (account: string): RequestContext => ({
  ...timedContext(Date.now() + hour),
  account,
  user: 'user-1',
  writeId: randomUUID(),
});

/** A client that notes the name of each command that it sends. */
export function recording(client: Sender): { client: Sender; sent: string[] } {
  const sent: string[] = [];
  const send: Sender['send'] = (command: { constructor: { name: string } }, ...rest: unknown[]) => {
    sent.push(command.constructor.name.replace(/Command$/, ''));
    return Reflect.apply(client.send, client, [command, ...rest]);
  };
  return { client: { send }, sent };
}

/** A container of its own: a catalog that has cached and leased nothing. */
export const newContainer = ({ client, table }: { client: Sender; table: string }): CatalogStore =>
  dynamoCatalogStore(new Database(client, table));

/** A container of its own that only reads: a catalog that has cached nothing. */
export const newReader = ({ client, table }: { client: Sender; table: string }): CatalogReader =>
  dynamoCatalogReader(new ListReader(client, table));

/** Creates an item, as most tests need no more of the answer. */
export const createIn = async (
  catalog: CatalogStore,
  call: RequestContext,
  fields: Partial<ItemFields> = {},
): Promise<Item> => (await catalog.insertItem(call, itemFields(fields))).item;

/** Updates an item as the use case does: with the account that its container knows, refusing an outdated one. */
export const modifyIn = async (
  store: CatalogStore,
  context: RequestContext,
  id: number,
  change: ItemChange,
  revisions?: readonly number[],
): Promise<Item> => {
  const account = await store.account(context);
  const { item, isOutdated } = await store.modifyItem(context, { id, change, revisions, account });
  if (isOutdated) throw new PreconditionFailed({ item, categoryName: null });
  return item;
};

/** The fields of an item of which a test names only what matters to it. */
export const itemFields = (fields: Partial<ItemFields> = {}): ItemFields => ({ ...defaultFields, ...fields });

/** The guards of an account as `SKU#A` → the owner's id. */
export const guardsOf = (records: readonly JsonObject[], account: string): Record<string, number> =>
  Object.fromEntries(
    records
      .filter((record) => record['sk'] === 'GUARD' && String(record['pk']).startsWith(`ACCOUNT#${account}#`))
      .map((record) => [String(record['pk']).slice(`ACCOUNT#${account}#`.length), Number(record['item_id'])]),
  );

/** The guards that an account's items call for: equal to {@link guardsOf} whenever no write is under way. */
export const guardsDue = (records: readonly JsonObject[], account: string): Record<string, number> =>
  Object.fromEntries(
    records
      .filter((record) => record['pk'] === `ACCOUNT#${account}#ITEMS`)
      .flatMap(({ sku, pn, id }) => [
        ...(sku === undefined ? [] : [[`SKU#${sku}`, Number(id)]]),
        ...(pn === undefined ? [] : [[`PN#${pn}`, Number(id)]]),
      ]),
  );
