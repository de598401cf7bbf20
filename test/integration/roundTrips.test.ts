import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../../lib/item/catalog.ts';
import type { Item, ItemChange } from '../../lib/item/item.ts';
import type { TestTable } from '../support/testTable.ts';
import {
  createIn,
  createTestTable,
  itemFields,
  newContainer,
  openTestAccount,
  recording,
  testCall,
} from '../support/testTable.ts';

const change = (fields: ItemChange['fields'], rest: Partial<ItemChange> = {}): ItemChange => ({
  fields,
  metadata: { set: {}, remove: [] },
  ...rest,
});

describe('round trips of a warm container', () => {
  let table: TestTable;
  let account: string;
  let catalog: Catalog;
  let sent: string[];

  /** The names of the commands that a request sends. */
  const commandsOf = async (request: () => Promise<unknown>): Promise<string[]> => {
    sent.length = 0;
    await request().catch(() => undefined);
    return [...sent];
  };
  const create = (fields = {}): Promise<Item> => createIn(catalog, testCall(account), fields);
  const update = (item: Item, asked: ItemChange, revisions?: number[]) =>
    catalog.update(testCall(account), item.id, asked, revisions);

  beforeAll(async () => {
    table = await createTestTable();
    account = await openTestAccount(table);
    const record = recording(table.client);
    sent = record.sent;
    catalog = newContainer({ client: record.client, table: table.table });
    await catalog.account(testCall(account));
    for (let index = 0; index < 10; index += 1) await create();
  });

  it('reads the configuration and leases ids when it is cold', async () => {
    const record = recording(table.client);
    const cold = newContainer({ client: record.client, table: table.table });
    await cold.account(testCall(account));
    await cold.create(testCall(account), itemFields({ sku: 'cold' }));
    expect(record.sent).toEqual(['Query', 'UpdateItem', 'TransactWriteItems']);
  });

  it('leases ids once in ten creates', async () => {
    const commands = await commandsOf(async () => {
      for (let index = 0; index < 20; index += 1) await create();
    });
    expect(commands.filter((name) => name === 'UpdateItem')).toHaveLength(2);
    expect(commands.filter((name) => name === 'PutItem')).toHaveLength(20);
  });

  it('takes one for each kind of create', async () => {
    await create();
    expect(await commandsOf(() => create())).toEqual(['PutItem']);
    expect(await commandsOf(() => create({ sku: 's1', pn: 'p1' }))).toEqual(['TransactWriteItems']);
    expect(await commandsOf(() => create({ sku: 's1' }))).toEqual(['TransactWriteItems']);
  });

  it('takes one for an update whose assumption holds', async () => {
    const item = await create({ sku: 's2', pn: 'p2' });
    const rows: [string, ItemChange, number[] | undefined][] = [
      ['plain fields', change({ name: 'Table', value: 2, category: null, unit: 'kg', qty: 3 }), undefined],
      ['metadata', change({}, { metadata: { set: { a: 1 }, remove: ['b'] } }), undefined],
      ['unchanged codes', change({ sku: 's2', pn: 'p2', value: 3 }), undefined],
      ['a quantity rounded as in most units', change({}, { unroundedQty: 1.25 }), undefined],
      ['a whole quantity', change({}, { unroundedQty: 4 }), undefined],
      ['If-Match', change({ value: 4 }), [6]],
    ];
    for (const [row, asked, revisions] of rows)
      expect([row, await commandsOf(() => update(item, asked, revisions))]).toEqual([row, ['UpdateItem']]);
  });

  it('takes two for one whose assumption does not', async () => {
    const item = await create({ unit: 'un' });
    expect(await commandsOf(() => update(item, change({ sku: 's3' })))).toEqual(['UpdateItem', 'TransactWriteItems']);
    expect(await commandsOf(() => update(item, change({ sku: null })))).toEqual(['UpdateItem', 'TransactWriteItems']);
    expect(await commandsOf(() => update(item, change({}, { unroundedQty: 1.25 })))).toEqual([
      'UpdateItem',
      'UpdateItem',
    ]);
  });

  it('takes one to refuse a missing item or an outdated revision', async () => {
    const item = await create();
    expect(await commandsOf(() => update({ ...item, id: 999_999 }, change({ sku: 's4' })))).toEqual(['UpdateItem']);
    expect(await commandsOf(() => update(item, change({ value: 1 }), [9]))).toEqual(['UpdateItem']);
  });
});
