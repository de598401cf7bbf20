import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { IdempotencyKey } from '../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { idempotencyRecordKey } from '../../lib/store/records/idempotencyRecord.ts';
import { change } from '../support/itemChange.ts';
import type { TestTable } from '../support/testTable.ts';
import {
  createTestTable,
  guardsDue,
  guardsOf,
  itemFields,
  modifyIn,
  newContainer,
  openTestAccount,
  recording,
  testCall,
} from '../support/testTable.ts';

const refused = (code: string) => expect.objectContaining({ code });

describe('a create with an Idempotency-Key', () => {
  let table: TestTable;
  let account: string;
  let call: () => RequestContext;
  let count = 0;

  /** A key that no other test uses. */
  const newKey = (): IdempotencyKey => ({ key: `key-${count++}`, sent: { name: 'a' } });
  const itemsOf = async () => (await table.records()).filter(({ pk }) => pk === `ACCOUNT#${account}#ITEMS`);

  beforeAll(async () => {
    table = await createTestTable();
    account = await openTestAccount(table);
    call = () => testCall(account);
  });

  it('takes one round trip, with its record in the same transaction', async () => {
    const { client, sent } = recording(table.client);
    const catalog = newContainer({ client, table: table.table });
    await catalog(call()).insertItem(itemFields());
    sent.length = 0;
    await catalog(call()).insertItem(itemFields({ sku: 'k1', pn: 'k1' }), newKey());
    await catalog(call()).insertItem(itemFields(), newKey());
    expect(sent).toEqual(['TransactWrite', 'TransactWrite']);
  });

  it('replays the first item from any container, even if the item has changed since', async () => {
    const key = newKey();
    const first = await newContainer(table)(call()).insertItem(
      itemFields({ sku: 'once', metadata: { b: 1, a: 2 } }),
      key,
    );
    const later = change({ name: 'Later', sku: null }, { metadata: { set: {}, remove: ['a'] } });
    await modifyIn(newContainer(table), call(), first.item.id, later, undefined);
    const before = await table.records();
    const again = await newContainer(table)(call()).insertItem(
      itemFields({ sku: 'once', metadata: { b: 1, a: 2 } }),
      key,
    );
    expect(again).toEqual({ item: first.item, replayed: true });
    // Only the counter has moved: a container leases ids before it knows that it needs none.
    const settled = (records: typeof before) => records.filter(({ pk }) => !String(pk).endsWith('#COUNTER'));
    expect(settled(await table.records())).toEqual(settled(before));
  });

  it('rejects a different body with the same key', async () => {
    const key = newKey();
    await newContainer(table)(call()).insertItem(itemFields(), key);
    const before = await itemsOf();
    const other = { ...key, sent: { name: 'b' } };
    await expect(newContainer(table)(call()).insertItem(itemFields({ name: 'Other' }), other)).rejects.toEqual(
      refused('IDEMPOTENCY_KEY_REUSED'),
    );
    expect(await itemsOf()).toEqual(before);
  });

  it('is independent of the same key of another user or account', async () => {
    const key = newKey();
    const { item } = await newContainer(table)(call()).insertItem(itemFields(), key);
    const otherUser = await newContainer(table)({ ...call(), user: 'user-2' }).insertItem(itemFields(), key);
    const otherAccount = await newContainer(table)(testCall(await openTestAccount(table))).insertItem(
      itemFields(),
      key,
    );
    expect([otherUser.replayed, otherAccount.replayed]).toEqual([false, false]);
    expect(otherUser.item.id).not.toBe(item.id);
  });

  it('stores nothing if it fails, so that the key can be used for the corrected request', async () => {
    const key = newKey();
    await newContainer(table)(call()).insertItem(itemFields({ sku: 'in-use' }));
    await expect(newContainer(table)(call()).insertItem(itemFields({ sku: 'in-use' }), key)).rejects.toEqual(
      refused('ITEM_ALREADY_EXISTS'),
    );
    expect((await newContainer(table)(call()).insertItem(itemFields({ sku: 'not-in-use' }), key)).replayed).toBe(false);
  });

  it('creates one item for 30 concurrent retries from 10 containers', async () => {
    const key = newKey();
    const containers = Array.from({ length: 10 }, () => newContainer(table));
    const repeats = Array.from({ length: 3 }, () => containers).flat();
    const results = await Promise.all(
      repeats.map((container) => container(call()).insertItem(itemFields({ sku: 'crowd' }), key)),
    );
    expect(new Set(results.map(({ item }) => item.id)).size).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    const records = await table.records();
    expect(guardsOf(records, account)).toEqual(guardsDue(records, account));
  });

  it('does not wait for DynamoDB to delete an expired record', async () => {
    const key = newKey();
    const { item } = await newContainer(table)(call()).insertItem(itemFields(), key);
    await table.client.send(
      new UpdateCommand({
        TableName: table.table,
        Key: idempotencyRecordKey(call(), key),
        UpdateExpression: 'SET expires_at = :past',
        ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1000) - 1 },
      }),
    );
    expect(await newContainer(table)(call()).findCreated(key)).toBeUndefined();
    const again = await newContainer(table)(call()).insertItem(itemFields(), key);
    expect(again.replayed).toBe(false);
    expect(again.item.id).not.toBe(item.id);
  });

  it('finds the item that a key created, and nothing for another body or key', async () => {
    const key = newKey();
    const { item } = await newContainer(table)(call()).insertItem(itemFields(), key);
    expect(await newContainer(table)(call()).findCreated(key)).toEqual(item);
    expect(await newContainer(table)(call()).findCreated({ ...key, sent: { name: 'b' } })).toBeUndefined();
    expect(await newContainer(table)(call()).findCreated(newKey())).toBeUndefined();
  });
});
