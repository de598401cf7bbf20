import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { IdentifierName } from '../../../lib/item/fields.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { listedName } from '../../../lib/item/listedName.ts';
import type { StoredRecord } from '../../../lib/store/database/record.ts';
import { newItemRecord } from '../../../lib/store/records/itemRecord.ts';
import { keyIn, keys, listKey } from '../../../lib/store/records/keys.ts';
import { scanAll } from './scanAll.ts';
import { itemFields, openTestAccount, type TestTable, testCall } from './testTable.ts';

/** Items of a filled account. */
export const count = 40;
/** When the records are written, in milliseconds since 1970. */
export const now = Date.now();

type Reached = Pick<TestTable, 'client' | 'table'>;

/** All stored records, sorted. */
export const stored = async ({ client, table }: Reached): Promise<JsonObject[]> =>
  inOrder(await scanAll(client, table));

/** By their keys. */
export function inOrder(records: readonly JsonObject[]): JsonObject[] {
  const name = ({ pk, sk }: JsonObject) => `${pk} ${sk}`;
  return records.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** Writes without the store, as only a restore or a person does. */
export async function batch({ client, table }: Reached, requests: readonly WriteRequest[]): Promise<void> {
  for (let from = 0; from < requests.length; from += 25)
    await client.send(new BatchWriteCommand({ RequestItems: { [table]: requests.slice(from, from + 25) } }));
}
export const put = (Item: Record<string, unknown>): WriteRequest => ({ PutRequest: { Item } });
/** @param record the record or its key */
export const gone = (record: StoredRecord): WriteRequest => ({ DeleteRequest: { Key: keyIn(record) } });

/** A stored item at the first revision, with the identifiers `S1` and `P1` for id 1, and none for every tenth. */
export function item(account: string, id: number, fields: JsonObject = {}): JsonObject {
  const codes = id % 10 === 0 ? {} : { sku: `S${id}`, pn: `P${id}` };
  const record = newItemRecord(
    { ...testCall(account), writeId: 'write-1' },
    { ...itemFields(codes), id, revision: 1, createdAt: now },
  );
  // An item with another name is listed under that.
  const { name } = fields;
  return { ...record, ...fields, ...(typeof name === 'string' && listKey(account, id, listedName(name))) };
}
export const guard = (account: string, name: IdentifierName, code: string, owner: number): JsonObject => ({
  ...keys.guard(account, name, code),
  item_id: owner,
});
export const counter = (account: string, last: number): JsonObject => ({
  ...keys.counter(account),
  last,
});
/** The items 1 to `count` of an account, with their guards and the counter. */
export function items(account: string): JsonObject[] {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const coded = ids.filter((id) => id % 10 !== 0);
  const guards = coded.flatMap((id) => [guard(account, 'sku', `S${id}`, id), guard(account, 'pn', `P${id}`, id)]);
  return [...ids.map((id) => item(account, id)), ...guards, counter(account, count)];
}
/** An open account with {@link items}, consistent in every respect. */
export async function fill(table: TestTable): Promise<string> {
  const account = await openTestAccount(table);
  await batch(table, items(account).map(put));
  return account;
}
