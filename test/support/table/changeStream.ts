import { isDeepStrictEqual } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { type RecordChangesDependencies, recordChangesHandler } from '../../../lib/changes/recordChangesHandler.ts';
import type { ItemFields } from '../../../lib/item/fields.ts';
import type { Item } from '../../../lib/item/item.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { Database } from '../../../lib/store/database/database.ts';
import { newItemRecord } from '../../../lib/store/records/itemRecord.ts';
import { changesPartition, changesTable } from '../../../lib/store/records/keys.ts';
import { defaultFields } from '../items/sampleItem.ts';
import { scanAll } from './scanAll.ts';
import { createTestTable, type TestTable, testCall } from './testTable.ts';

/** A new table with its table of changes. */
export async function createTables(): Promise<{ table: TestTable; changes: TestTable }> {
  const table = await createTestTable();
  return { table, changes: await createTestTable(undefined, changesTable(table.table)) };
}

/** An item at a revision, with defaults for the fields that do not matter to a test. */
export const itemAt = (id: number, revision: number, fields: Partial<ItemFields> = {}, at = Date.now()): Item => ({
  ...{ ...defaultFields, ...fields },
  ...{ id, revision, createdAt: at, updatedAt: at, updatedBy: 'user-1' },
});

/** What a write of an item made of it: undefined where there was none. */
interface Write {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
}

/** The record of a write in the table's stream. */
export function streamRecord(account: string, sequence: number, write: Write, at = Date.now()): DynamoDBRecord {
  const [OldImage, NewImage] = [write.before, write.after].map(
    (item) => item && marshall({ ...newItemRecord(testCall(account), item), written_at: item.updatedAt }),
  );
  const { pk, sk } = NewImage ?? OldImage ?? {};
  const times = { SequenceNumber: String(sequence), ApproximateCreationDateTime: Math.floor(at / 1_000) };
  return { dynamodb: { Keys: { pk, sk }, OldImage, NewImage, ...times } as NonNullable<DynamoDBRecord['dynamodb']> };
}

/** The function that records changes for seven days, in a container of its own. */
export function recorder(
  { client, table }: { readonly client: Database['client']; readonly table: string },
  clock: Partial<Database['clock']> = {},
  observe: RecordChangesDependencies['observe'] = () => undefined,
) {
  const changes = new Database(client, table);
  const handler = recordChangesHandler({
    changes: new Database(client, table, { ...changes.clock, ...clock }),
    days: 7,
    observe,
  });
  return (Records: DynamoDBRecord[]) => handler({ Records }, { getRemainingTimeInMillis: () => 10_000 });
}

type Reached = Pick<TestTable, 'client' | 'table'>;

/** All that an account has in a table of changes, by key. */
export async function changeRecords(changes: Reached, account: string): Promise<Map<string, JsonObject>> {
  const records = await scanAll(changes.client, changes.table);
  const own = records.filter(({ pk }) => pk === changesPartition(account));
  return new Map(own.map((record): [string, JsonObject] => [String(record['sk']), record]).sort());
}

/** The changes of an account in the order of their numbers, each of which is also found by its item. */
export async function recordedChanges(changes: Reached, account: string): Promise<JsonObject[]> {
  const all = [...(await changeRecords(changes, account))];
  const attributesOf = ([, { pk: _pk, sk: _sk, expires_at: _expiry, ...change }]: (typeof all)[number]) => change;
  const numbered = all.filter(([sort]) => /^\d/.test(sort)).map(attributesOf);
  const byItem = all.filter(([sort]) => sort.startsWith('ITEM#')).map(attributesOf);
  const byNumber = byItem.sort((one, other) => Number(one['number']) - Number(other['number']));
  if (!isDeepStrictEqual(byNumber, numbered)) throw new Error('A change is not found by its item');
  return numbered;
}
