import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import type { ItemFields } from '../../lib/item/fields.ts';
import type { Item, ItemChange } from '../../lib/item/item.ts';
import { addCategory, addUnit, archiveCategory } from '../../lib/operator/accounts.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { change } from '../support/itemChange.ts';
import { relaxTimeouts } from '../support/relaxTimeouts.ts';
import type { Container, TestTable } from '../support/testTable.ts';
import {
  createIn,
  createTestTable,
  guardsDue,
  guardsOf,
  modifyIn,
  newContainer,
  openTestAccount,
  recording,
  testCall,
} from '../support/testTable.ts';

const refused = (code: string) => expect.objectContaining({ code });
const later = expect.any(Number);

describe('updating an item', () => {
  let table: TestTable;
  let account: string;
  let catalog: Container;
  let call: () => RequestContext;

  const create = (fields: Partial<ItemFields> = {}) => createIn(catalog, call(), fields);
  const update = (item: Item, asked: ItemChange, revisions?: number[]) =>
    modifyIn(catalog, call(), item.id, asked, revisions);
  const expectGuards = async () => {
    const records = await table.records();
    expect(guardsOf(records, account)).toEqual(guardsDue(records, account));
    return guardsOf(records, account);
  };

  beforeAll(async () => {
    const restoreTimeouts = relaxTimeouts();
    table = await createTestTable();
    account = await openTestAccount(table);
    catalog = newContainer(table);
    call = () => testCall(account);
    return restoreTimeouts;
  });

  it('changes only the fields it names, including to zero and false (spec 4.2 rules 1 and 2)', async () => {
    const item = await create({ value: 5, cost: 4, description: 'd', metadata: { a: 1, b: 2 } });
    const updated = await update(
      item,
      change({ value: 0, active: false }, { metadata: { set: { c: 3 }, remove: ['a', 'x'] } }),
    );
    expect(updated).toEqual({
      ...item,
      value: 0,
      active: false,
      metadata: { b: 2, c: 3 },
      revision: 2,
      updatedAt: later,
    });
  });

  it('removes category, description, tag, sku and pn with null (spec 4.2 rule 3)', async () => {
    const item = await create({ description: 'd', tag: 't', sku: 'gone-s', pn: 'gone-p' });
    const none = { category: null, description: null, tag: null, sku: null, pn: null };
    expect(await update(item, change(none))).toEqual({ ...item, ...none, revision: 2, updatedAt: later });
    expect(Object.values(await expectGuards())).not.toContain(item.id);
  });

  it.each([{ value: 1 }, { sku: 'next' }])('returns its user and time as they are stored: %j', async (fields) => {
    const item = await create({ sku: 'first' });
    const updated = await modifyIn(catalog, { ...call(), user: 'user-2' }, item.id, change(fields));
    const record = (await table.records()).find(({ sk }) => sk === keys.item(account, item.id).sk);
    expect(updated).toEqual(readItem(record ?? {}).item);
    expect(updated.updatedBy).toBe('user-2');
    await update(item, change({ sku: null }));
  });

  it('moves the guard with the identifier, so that the old one is free immediately', async () => {
    const item = await create({ sku: 'old', pn: 'keep' });
    expect(await update(item, change({ sku: 'new', pn: 'keep' }))).toEqual({
      ...item,
      sku: 'new',
      revision: 2,
      updatedAt: later,
    });
    expect(await expectGuards()).toMatchObject({ 'SKU#new': item.id, 'PN#keep': item.id });
    expect((await create({ sku: 'old' })).sku).toBe('old');
  });

  it('swaps sku and pn in one write', async () => {
    const item = await create({ sku: 'left', pn: 'right' });
    expect(await update(item, change({ sku: 'right', pn: 'left' }))).toMatchObject({ sku: 'right', pn: 'left' });
    await expectGuards();
  });

  it('rejects an identifier that another item has, and changes nothing', async () => {
    const [owner, item] = [await create({ sku: 'owned' }), await create({ sku: 'mine' })];
    const before = await table.records();
    const fields = [{ field: 'sku', reason: `is used by item ${owner.id}`, rule: 'taken', item: owner.id }];
    await expect(update(item, change({ sku: 'owned', value: 9 }))).rejects.toMatchObject({
      code: 'ITEM_ALREADY_EXISTS',
      fields,
    });
    expect(await table.records()).toEqual(before);
    expect(owner.sku).toBe('owned');
  });

  it('keeps an archived category with one request, and does not let another item have it', async () => {
    const [kept, other] = [await create({ category: 2, sku: 'kept' }), await create({ category: 1 })];
    const operator = timedContext(Date.now() + 8_000);
    const category = await addCategory(table.database.for(operator), account, 'Old');
    await modifyIn(newContainer(table), call(), kept.id, change({ category }));
    await archiveCategory(table.database.for(operator), account, category);
    const { client, sent } = recording(table.client);
    const fresh = newContainer({ client, table: table.table });
    const ask = (id: number, fields: ItemChange['fields'], revisions?: number[]) =>
      modifyIn(fresh, call(), id, change(fields), revisions);
    expect(await ask(kept.id, { category, value: 7 })).toMatchObject({ category, value: 7, revision: 3 });
    expect(sent).toEqual(['Query', 'Update']);
    expect(await ask(kept.id, { category, sku: 'renamed' })).toMatchObject({ category, sku: 'renamed' });
    const before = await table.records();
    const unavailable = { message: 'Invalid field: category.', code: 'VALIDATION_FAILED' };
    for (const fields of [{ category }, { category, sku: 'renamed' }])
      for (const revisions of [undefined, [1], [9]])
        await expect(ask(other.id, fields, revisions)).rejects.toMatchObject(unavailable);
    await expect(ask(999_999, { category })).rejects.toMatchObject(unavailable);
    expect(await table.records()).toEqual(before);
  });

  it('reports a missing item, whatever the change', async () => {
    const missing = { id: 999_999 } as Item;
    for (const asked of [
      change({ value: 1 }),
      change({ sku: 'q' }),
      change({ sku: 'owned' }),
      change({}, { unroundedQty: 1.5 }),
    ]) {
      await expect(update(missing, asked)).rejects.toEqual(refused('ITEM_NOT_FOUND'));
      await expect(update(missing, asked, [1])).rejects.toEqual(refused('ITEM_NOT_FOUND'));
    }
  });

  it('respects If-Match, and reports a taken identifier before an outdated revision', async () => {
    await create({ sku: 'taken' });
    const item = await create();
    expect((await update(item, change({ value: 1 }), [7, 1])).revision).toBe(2);
    const before = await table.records();
    await expect(update(item, change({ value: 2 }), [1])).rejects.toEqual(refused('PRECONDITION_FAILED'));
    await expect(update(item, change({ sku: 'free' }), [0])).rejects.toEqual(refused('PRECONDITION_FAILED'));
    await expect(update(item, change({ sku: 'taken' }), [1])).rejects.toEqual(refused('ITEM_ALREADY_EXISTS'));
    expect(await table.records()).toEqual(before);
    expect(await update(item, change({ sku: 'free' }), [2])).toMatchObject({ sku: 'free', revision: 3 });
  });

  it('rounds a quantity by its unit: the stored one, the one sent with it, or one registered since', async () => {
    const [piece, weight] = [await create(), await create({ unit: 'kg' })];
    expect((await update(piece, change({}, { unroundedQty: 1.5 }))).qty).toBe(2);
    expect((await update(weight, change({}, { unroundedQty: 1.23456 }))).qty).toBe(1.235);
    // A unit that rounds like most units, and one that rounds differently.
    for (const [unit, qty] of [
      ['hour', 1.23],
      ['kg', 1.235],
    ] as const) {
      const item = await create({ unit });
      const updated = await update(item, change({ unit: 'un' }, { unroundedQty: 1.23456 }));
      expect(updated).toEqual({ ...item, qty, unit: 'un', revision: 2, updatedAt: later });
    }
    await addUnit(table.database.for(call()), account, 'ton', 4);
    const other = newContainer(table);
    await other(call()).currentAccount();
    const ton = await createIn(other, call(), { unit: 'ton' });
    expect((await update(ton, change({}, { unroundedQty: 1.23456 }))).qty).toBe(1.2346);
  });

  it('loses no key in 200 concurrent merges', async () => {
    const item = await create();
    const merges = Array.from({ length: 200 }, (_, index) => {
      const set = index < 100 ? { [`k${index}`]: index } : {};
      return update(item, change({}, { metadata: { set, remove: index < 100 ? [] : [`gone${index}`] } }));
    });
    await Promise.all(merges);
    const last = await update(item, change({}));
    expect(last.metadata).toEqual(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index])));
    expect(last.revision).toBe(202);
  });

  it('rejects a merge that exceeds 100 keys, and accepts one that replaces and removes keys', async () => {
    const keys = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, 0]));
    const item = await create({ metadata: keys(0, 50) });
    await update(item, change({}, { metadata: { set: keys(50, 50), remove: [] } }));
    const before = await table.records();
    const full = { code: 'VALIDATION_FAILED', message: 'Invalid field: metadata.' };
    await expect(update(item, change({}, { metadata: { set: { more: 1 }, remove: [] } }))).rejects.toEqual(
      expect.objectContaining(full),
    );
    expect(await table.records()).toEqual(before);
    const swapped = await update(item, change({}, { metadata: { set: { more: 1, k0: 1 }, remove: ['k1'] } }));
    expect(Object.keys(swapped.metadata)).toHaveLength(100);
  });

  it('leaves one identifier and no extra guard after 12 concurrent changes of one item', async () => {
    const item = await create({ sku: 'start' });
    const containers = Array.from({ length: 12 }, () => newContainer(table));
    const results = await Promise.allSettled(
      containers.map((container, index) =>
        modifyIn(container, call(), item.id, change({ sku: `to-${index}` }), undefined),
      ),
    );
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(failures).toEqual(failures.map(() => refused('SERVICE_UNAVAILABLE')));
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const last = await update(item, change({}));
    expect(last.revision).toBe(2 + done.length);
    // A change that conflicts with others is answered by a read, which may show a later one.
    expect(done).toContainEqual({ ...last, revision: 1 + done.length, updatedAt: later });
    const guards = Object.entries(await expectGuards()).filter(([, owner]) => owner === item.id);
    expect(guards).toEqual([[`SKU#${last.sku}`, item.id]]);
  });

  it('gives an identifier to exactly one of 20 items that race for it', async () => {
    const items = await Promise.all(Array.from({ length: 20 }, () => create()));
    const results = await Promise.allSettled(items.map((item) => update(item, change({ pn: 'goal' }))));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(failures).toEqual(Array.from({ length: 19 }, () => refused('ITEM_ALREADY_EXISTS')));
    await expectGuards();
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

  it('rejects an item that would exceed 400 KB', async () => {
    const metadata = { list: Array.from({ length: 80 }, () => 'x'.repeat(2_000)) };
    const item = await create({ metadata });
    const more = { set: { more: metadata.list, again: metadata.list }, remove: [] };
    for (const fields of [{}, { sku: 'heavy' }])
      await expect(update(item, change(fields, { metadata: more }))).rejects.toEqual(refused('VALIDATION_FAILED'));
    await expectGuards();
  });
});
