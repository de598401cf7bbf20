import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { idempotencyRecordKey } from '../../lib/store/records/idempotencyRecord.ts';
import {
  type Container,
  createIn,
  createTestTable,
  itemFields,
  newContainer,
  openTestAccount,
  testCall,
} from '../support/testTable.ts';

const table = await createTestTable();
const account = await openTestAccount(table);
const call = () => testCall(account);

describe('creating an item', () => {
  it('gives each item a unique id, with any number of containers', async () => {
    const fresh = await openTestAccount(table);
    const containers = Array.from({ length: 5 }, () => newContainer(table));
    const items = await Promise.all(
      Array.from({ length: 60 }, (_, index) => createIn(containers[index % 5] as Container, testCall(fresh))),
    );
    expect(new Set(items.map((item) => item.id)).size).toBe(60);
    expect(Math.max(...items.map((item) => item.id))).toBeLessThanOrEqual(60 + 5 * 10);
  });

  it('uses the next ids if a restored counter leases ids that are in use', async () => {
    const fresh = await openTestAccount(table);
    const catalog = newContainer(table);
    for (let index = 0; index < 3; index += 1) await createIn(catalog, testCall(fresh));
    const Key = { pk: `ACCOUNT#${fresh}#COUNTER`, sk: 'ITEM' };
    await table.client.send(new DeleteCommand({ TableName: table.table, Key }));
    expect((await createIn(newContainer(table), testCall(fresh), { sku: 'after' })).id).toBe(4);
  });

  it('under a key that has expired does not wait for DynamoDB to delete its record', async () => {
    const key = { key: 'expired', sent: { name: 'a' } };
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
});
