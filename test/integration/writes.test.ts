import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { writeItems } from '../../lib/catalog/writeItems.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { change } from '../support/items/itemChange.ts';
import { relaxTimeouts } from '../support/setup/relaxTimeouts.ts';
import { guardsOf, newContainer, openTestAccount, openTestCatalog, testCall } from '../support/table/testTable.ts';

relaxTimeouts();
const { table, account, create, update } = await openTestCatalog();

describe('creating an item', () => {
  it('gives the rows of a batch ids in their order, also the first ones of an account', async () => {
    const context = testCall(await openTestAccount(table));
    const work = { openStore: newContainer(table), context, newWriteId: randomUUID, now: Date.now, hidden: [] };
    const rows = Array.from({ length: 20 }, (_, index) => ({ name: `Item ${index}` }));
    const outcomes = await writeItems(work, { rows });
    expect(outcomes.map((outcome) => 'item' in outcome && outcome.item.id)).toEqual(rows.map((_, index) => index + 1));
  });
});

describe('updating an item', () => {
  it.each([{ value: 1 }, { sku: 'next' }])('returns its user and time as they are stored: %j', async (fields) => {
    const item = await create({ sku: 'first' });
    const updated = await update(item.id, change(fields), undefined, { user: 'user-2' });
    const { pk } = keys.item(account, item.id);
    const record = (await table.records()).find((one) => one['pk'] === pk && one['id'] === item.id);
    expect(updated).toEqual(readItem(record ?? {}).item);
    expect(updated.updatedBy).toBe('user-2');
    await update(item.id, change({ sku: null }));
  });

  it('swaps sku and pn in one write', async () => {
    const item = await create({ sku: 'left', pn: 'right' });
    expect(await update(item.id, change({ sku: 'right', pn: 'left' }))).toMatchObject({ sku: 'right', pn: 'left' });
    const guards = guardsOf(await table.records(), account);
    const owners = ['SKU#left', 'PN#right', 'SKU#right', 'PN#left'].map((guard) => guards[guard]);
    expect(owners).toEqual([undefined, undefined, item.id, item.id]);
  });

  it('never takes a guard from another item, and does not fail if a partial restore left one', async () => {
    const damaged = await create({ sku: 'torn', pn: 'lost' });
    const guard = (name: 'sku' | 'pn', code: string) => keys.guard(account, name, code);
    const { client, table: TableName } = table;
    await client.send(new PutCommand({ TableName, Item: { ...guard('sku', 'torn'), item_id: 777 } }));
    await client.send(new DeleteCommand({ TableName, Key: guard('pn', 'lost') }));
    expect(await update(damaged.id, change({ sku: 'whole', pn: 'found' }))).toMatchObject({
      sku: 'whole',
      pn: 'found',
    });
    const guards = guardsOf(await table.records(), account);
    expect(guards).toMatchObject({ 'SKU#torn': 777, 'SKU#whole': damaged.id, 'PN#found': damaged.id });
    await client.send(new DeleteCommand({ TableName, Key: guard('sku', 'torn') }));
  });
});
