import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../lib/item/json.ts';
import { Database } from '../../../../lib/store/database/database.ts';
import type { StoredRecord } from '../../../../lib/store/database/record.ts';
import { newAccountRecord, newCategoryRecord, newUnitRecord } from '../../../../lib/store/records/accountRecord.ts';
import { keyIn } from '../../../../lib/store/records/keys.ts';
import { accountRecord, idempotencyRecord, second, tokenPair } from '../../../support/damage/damageRecords.ts';
import { damages, essence, sorted } from '../../../support/damage/damages.ts';
import { unsoundRecords } from '../../../support/damage/unsoundRecords.ts';
import { verifyRecords } from '../../../support/damage/verifier.ts';
import { MemoryTable } from '../../../support/standIns/memoryTable/memoryTable.ts';
import { counter, guard, item, items, now } from '../../../support/table/storedRecords.ts';
import { openTestAccount } from '../../../support/table/testTable.ts';

describe('the verification of an account', () => {
  const account = 'acme';
  const nameOf = (record: StoredRecord) => JSON.stringify(keyIn(record));
  let whole: ReadonlyMap<string, StoredRecord>;

  /** Another account, which has all that a damage takes from the first one. */
  const other: StoredRecord[] = [
    ...items('other'),
    item('other', 1_000),
    counter('other', 1_000),
    { ...newAccountRecord('other'), last_category: 99 },
    ...tokenPair('other').map(({ PutRequest }) => PutRequest?.Item ?? {}),
  ];

  beforeAll(async () => {
    const table = new MemoryTable();
    const database = new Database(table, 'table-1');
    await openTestAccount({ database }, account);
    await openTestAccount({ database }, 'other');
    const all = [...table.records(), ...items(account), ...other];
    whole = new Map(all.map((record) => [nameOf(record), record]));
  });

  it('finds nothing and suspects nothing in a consistent one, in any order of its records', async () => {
    const all = [...whole.values()];
    for (const inSomeOrder of [all, all.toReversed()]) {
      const progress = { records: 0, suspects: 0, rechecked: 0 };
      expect(await verifyRecords(inSomeOrder, now, progress)).toEqual([]);
      expect(progress).toEqual({ records: all.length, suspects: 0, rechecked: 0 });
    }
  });

  it.each(damages)('finds $name, and nothing else, in any order', async ({ writes, found }) => {
    const records = new Map(whole);
    for (const { PutRequest, DeleteRequest } of writes(account)) {
      if (PutRequest?.Item) records.set(nameOf(PutRequest.Item), PutRequest.Item);
      if (DeleteRequest?.Key) records.delete(nameOf(DeleteRequest.Key));
    }
    const all = [...records.values()];
    const guardsLast = (records: StoredRecord[]) =>
      records.toSorted((one, other) => Number('item_id' in one) - Number('item_id' in other));
    for (const inSomeOrder of [all, all.toReversed(), guardsLast(all), guardsLast(all.toReversed())]) {
      const findings = await verifyRecords(inSomeOrder, now);
      expect(sorted(findings.map(essence))).toEqual(sorted(found));
    }
  });

  it.each<[string, JsonObject]>([
    ['names a missing unit', item(account, 1, { unit: 'parsec' })],
    ['names a missing category', item(account, 1, { category: 99 })],
    ['has a default category that is missing or archived', { ...accountRecord(account), default_category: 99 }],
    ['has a default category that is missing or archived', { ...accountRecord(account), default_category: 2 }],
    ['names a missing item', idempotencyRecord(account, item(account, 1_000))],
    ['names an item of another account', idempotencyRecord(account, item('other', 1))],
    ['never expires, or too late', { ...idempotencyRecord(account, item(account, 1)), expires_at: 'never' }],
    ['never expires, or too late', { ...idempotencyRecord(account, item(account, 1)), expires_at: second + 86_407 }],
    ['has the cost -0.5', item(account, 1, { cost: -0.5 })],
    ['has the tax 1000000', item(account, 1, { tax: 1_000_000 })],
    ['has the revision 0', item(account, 1, { revision: 0 })],
    [
      'has the number of metadata keys 101',
      item(account, 1, { metadata: Object.fromEntries(Array.from({ length: 101 }, (_, key) => [key, 1])) }),
    ],
    ['has the default tax -1', { ...accountRecord(account), default_tax: -1 }],
    ['has the number of decimals 5', newUnitRecord(account, 'kg', 5)],
    ['would expire', { ...guard(account, 'sku', 'S1', 1), expires_at: second + 60 }],
  ])('drills also find a record that %s', (wrong, record) => {
    const archived = { ...newCategoryRecord(account, 2, 'Furniture'), archived: true };
    const sound = [...whole.values(), archived, idempotencyRecord(account, item(account, 1))];
    expect(unsoundRecords(sound, now)).toEqual([]);
    expect(unsoundRecords([...sound, record], now)).toEqual([`${nameOf(record)} ${wrong}`]);
  });
});
