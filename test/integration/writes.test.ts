import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { writeItems } from '../../lib/catalog/writeItems.ts';
import type { ItemFields } from '../../lib/item/fields.ts';
import type { Item, ItemChange } from '../../lib/item/item.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { change } from '../support/items/itemChange.ts';
import { relaxTimeouts } from '../support/setup/relaxTimeouts.ts';
import {
  createIn,
  createTestTable,
  guardsOf,
  modifyIn,
  newContainer,
  openTestAccount,
  testCall,
} from '../support/table/testTable.ts';

relaxTimeouts();
const table = await createTestTable();
const account = await openTestAccount(table);

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
  const catalog = newContainer(table);
  const call = () => testCall(account);
  const create = (fields: Partial<ItemFields> = {}) => createIn(catalog, call(), fields);
  const update = (item: Item, requested: ItemChange, revisions?: number[]) =>
    modifyIn(catalog, call(), item.id, requested, revisions);

  it.each([{ value: 1 }, { sku: 'next' }])('returns its user and time as they are stored: %j', async (fields) => {
    const item = await create({ sku: 'first' });
    const updated = await modifyIn(catalog, { ...call(), user: 'user-2' }, item.id, change(fields));
    const { pk } = keys.item(account, item.id);
    const record = (await table.records()).find((one) => one['pk'] === pk && one['id'] === item.id);
    expect(updated).toEqual(readItem(record ?? {}).item);
    expect(updated.updatedBy).toBe('user-2');
    await update(item, change({ sku: null }));
  });

  it('swaps sku and pn in one write', async () => {
    const item = await create({ sku: 'left', pn: 'right' });
    expect(await update(item, change({ sku: 'right', pn: 'left' }))).toMatchObject({ sku: 'right', pn: 'left' });
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
    expect(await update(damaged, change({ sku: 'whole', pn: 'found' }))).toMatchObject({ sku: 'whole', pn: 'found' });
    const guards = guardsOf(await table.records(), account);
    expect(guards).toMatchObject({ 'SKU#torn': 777, 'SKU#whole': damaged.id, 'PN#found': damaged.id });
    await client.send(new DeleteCommand({ TableName, Key: guard('sku', 'torn') }));
  });
});
