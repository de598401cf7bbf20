import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { writeItems } from '../../lib/catalog/writeItems.ts';
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

  it('gives the rows of a batch ids in their order, also the first ones of an account', async () => {
    const context = testCall(await openTestAccount(table));
    const work = { openStore: newContainer(table), context, newWriteId: randomUUID, now: Date.now };
    const rows = Array.from({ length: 20 }, (_, index) => ({ name: `Item ${index}` }));
    const outcomes = await writeItems(work, { rows });
    expect(outcomes.map((outcome) => 'item' in outcome && outcome.item.id)).toEqual(rows.map((_, index) => index + 1));
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
