import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  type Container,
  createIn,
  createTestTable,
  newContainer,
  openTestAccount,
  testCall,
} from '../support/table/testTable.ts';

const table = await createTestTable();

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
});
