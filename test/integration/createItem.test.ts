import { beforeAll, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { change } from '../support/itemChange.ts';
import type { Container, TestTable } from '../support/testTable.ts';
import {
  createIn,
  createTestTable,
  guardsDue,
  guardsOf,
  itemFields,
  modifyIn,
  newContainer,
  openTestAccount,
  testCall,
} from '../support/testTable.ts';

const conflict = expect.objectContaining({ code: 'ITEM_ALREADY_EXISTS' });

describe('creating an item', () => {
  let table: TestTable;
  let account: string;
  let call: () => RequestContext;

  beforeAll(async () => {
    table = await createTestTable();
    account = await openTestAccount(table);
    call = () => testCall(account);
  });

  it('stores every field as given', async () => {
    const fields = itemFields({
      category: null,
      value: 99_999_999.9999,
      qty: 0,
      description: '',
      active: false,
      sku: 'full',
      tag: 'a;b',
      metadata: { constructor: 1, 'a.b': [null, { '#n': true }], ':v': 1e20, empty: '' },
    });
    const { item } = await newContainer(table)(call()).insertItem(fields);
    const { createdAt, updatedBy } = item;
    expect(item).toEqual({
      ...fields,
      id: expect.any(Number),
      revision: 1,
      createdAt,
      updatedAt: createdAt,
      updatedBy,
    });
    expect(await modifyIn(newContainer(table), call(), item.id, change({}), [1])).toEqual({
      ...item,
      revision: 2,
      updatedAt: expect.any(Number),
    });
  });

  it('rejects an identifier that another item has, and leaves the other one free (spec 4.1 rule 1)', async () => {
    const catalog = newContainer(table);
    const { id } = await createIn(catalog, call(), { pn: 'P1' });
    const before = await table.records();
    await expect(createIn(catalog, call(), { sku: 'S1', pn: 'P1' })).rejects.toMatchObject({
      code: 'ITEM_ALREADY_EXISTS',
      fields: [{ field: 'pn', reason: `is used by item ${id}`, rule: 'taken', item: id }],
    });
    expect(await table.records()).toEqual(before);
    expect((await createIn(catalog, call(), { sku: 'S1' })).sku).toBe('S1');
  });

  it('keeps sku and pn, and different accounts, in separate namespaces', async () => {
    const catalog = newContainer(table);
    const other = await openTestAccount(table);
    const codes = ['X', '#', 'X#PN#Y', 'PN#X', 'SKU#X', ' GUARD'];
    for (const code of codes) {
      await createIn(catalog, call(), { sku: code });
      await createIn(catalog, call(), { pn: code });
      await createIn(catalog, testCall(other), { sku: code, pn: code });
    }
    const records = await table.records();
    expect(guardsOf(records, account)).toEqual(guardsDue(records, account));
    expect(Object.keys(guardsOf(records, other))).toHaveLength(12);
  });

  it('gives an identifier to exactly one of 100 concurrent creates', async () => {
    const containers = Array.from({ length: 10 }, () => newContainer(table));
    const creates = Array.from({ length: 100 }, (_, index) =>
      createIn(containers[index % 10] as Container, call(), { sku: 'race', pn: `race-${index}` }),
    );
    const results = await Promise.allSettled(creates);
    const kept = results.filter(({ status }) => status === 'fulfilled');
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(kept).toHaveLength(1);
    expect(refused).toEqual(Array.from({ length: 99 }, () => conflict));
    const records = await table.records();
    expect(guardsOf(records, account)).toEqual(guardsDue(records, account));
  });

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
    const { DeleteCommand } = await import('@aws-sdk/lib-dynamodb');
    const Key = { pk: `ACCOUNT#${fresh}#COUNTER`, sk: 'ITEM' };
    await table.client.send(new DeleteCommand({ TableName: table.table, Key }));
    expect((await createIn(newContainer(table), testCall(fresh), { sku: 'after' })).id).toBe(4);
  });

  it('rejects an item of more than 400 KB as too much metadata', async () => {
    const metadata = { list: Array.from({ length: 210 }, () => 'x'.repeat(2_000)) };
    const invalid = expect.objectContaining({ code: 'VALIDATION_FAILED', message: 'Invalid field: metadata.' });
    await expect(createIn(newContainer(table), call(), { metadata })).rejects.toEqual(invalid);
    await expect(createIn(newContainer(table), call(), { metadata, sku: 'big' })).rejects.toEqual(invalid);
    expect(guardsOf(await table.records(), account)).not.toHaveProperty('SKU#big');
  });
});
