import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/item/json.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { everything, ofItems, openRestored, type Restored, to } from '../../support/table/openRestored.ts';
import { copyLost, copyOf } from '../../support/table/restoredTables.ts';
import { batch, gone, item, put, stored } from '../../support/table/storedRecords.ts';
import { itemFields, newContainer, type TestTable, testCall } from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, expectSound } = {} as Restored;
beforeEach(async () => {
  ({ live, from, account, expectSound } = await openRestored());
});

describe('the keys of creates', () => {
  const keyed = (key: string) => ({ key, sent: { name: key } });
  const create = (key: string) =>
    newContainer(live)({ ...testCall(account), user: 'importer' }).insertItem(itemFields({ name: key }), keyed(key));
  const requests = async (table: TestTable) => (await stored(table)).filter(({ sk }) => sk === 'REQUEST');

  it('replay the items that were put back, and create nothing twice', async () => {
    const { item: made } = await create('a');
    from = await copyOf(live);
    await batch(live, [gone(keys.item(account, made.id)), ...(await requests(live)).map(gone)]);
    for (const isDryRun of [true, false])
      expect((await copyLost(from, live, everything, { to, isDryRun })).map(({ of }) => of)).toEqual([
        'item',
        'record',
      ]);
    expect(await create('a')).toMatchObject({ item: { id: made.id }, replayed: true });
    await expectSound();
  });

  it('are free if the item was not put back, or the copy has expired or is damaged', async () => {
    const ids: number[] = [];
    for (const key of ['a', 'b', 'c', 'd']) ids.push((await create(key)).item.id);
    from = await copyOf(live);
    const records = await requests(live);
    const copyFor = (index: number) => records.find(({ item: copy }) => (copy as JsonObject)['id'] === ids[index]);
    await batch(live, [...records.map(gone), put(item(account, ids[0] ?? 0, { created_at: 1 }))]);
    const now = Math.floor(Date.now() / 1_000);
    await batch(from, [
      put({ ...copyFor(1), expires_at: now - 1 }),
      put({ ...copyFor(2), expires_at: now + 48 * 3_600 }),
      put({ ...copyFor(3), fingerprint: 1 }),
    ]);
    for (const isDryRun of [true, false])
      expect(ofItems(await copyLost(from, live, everything, { to, isDryRun }))).toEqual({ [ids[0] ?? 0]: 'id taken' });
    expect(await requests(live)).toEqual([]);
  });

  it('stay as they are if they exist', async () => {
    await create('a');
    from = await copyOf(live);
    const before = await requests(live);
    await batch(
      from,
      before.map((record) => put({ ...record, fingerprint: 'other' })),
    );
    expect(await copyLost(from, live, everything, { to })).toEqual([]);
    expect(await requests(live)).toEqual(before);
  });
});
