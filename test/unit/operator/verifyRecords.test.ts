import { beforeAll, describe, expect, it } from 'vitest';
import { CrossCheck } from '../../../lib/operator/verification/crossCheck.ts';
import { verifyRecords } from '../../../lib/operator/verification/verifyTable.ts';
import { Database } from '../../../lib/store/database/database.ts';
import type { StoredRecord } from '../../../lib/store/database/documentClient.ts';
import { keyIn } from '../../../lib/store/records/parseKey.ts';
import { damages, essence, idempotencyRecord, sorted, tokenPair } from '../../support/damages.ts';
import { MemoryTable } from '../../support/memoryTable/memoryTable.ts';
import { guard, item, items, now, put } from '../../support/storedRecords.ts';
import { openTestAccount } from '../../support/testTable.ts';

describe('the verification of an account', () => {
  const account = 'acme';
  const nameOf = (record: StoredRecord) => JSON.stringify(keyIn(record));
  let whole: StoredRecord[];

  beforeAll(async () => {
    const table = new MemoryTable();
    await openTestAccount({ database: new Database(table, 'table-1') }, account);
    whole = [...table.records(), ...items(account)];
  });

  /** The suspects after all records were added. */
  const doubts = (records: readonly StoredRecord[]) => {
    const crossCheck = new CrossCheck();
    for (const record of records) crossCheck.add(record, now);
    return [...crossCheck.suspects()];
  };

  it('finds nothing and suspects nothing in a consistent one, in any order of its records', async () => {
    const more = [...tokenPair(account), put(idempotencyRecord(account, item(account, 50)))];
    const all = [...whole, ...more.map(({ PutRequest }) => PutRequest?.Item ?? {})];
    expect(await verifyRecords(all, now)).toEqual([]);
    expect(doubts(all)).toEqual([]);
    expect(doubts(all.toReversed())).toEqual([]);
  });

  it.each<[string, StoredRecord[], number[]]>([
    ['the item without guard', [item(account, 101)], [101]],
    ['the owner of a guard that nobody has', [guard(account, 'sku', 'S101', 7)], [7]],
    ['items that share one, and the owner', [101, 102].map((id) => item(account, id, { sku: 'S1' })), [101, 102, 1]],
  ])('suspects an identifier with %s', (_case, records, ids) => {
    const own = doubts([...records, ...whole]).filter(
      (suspect) => suspect.of === 'identifier' && suspect.name === 'sku',
    );
    expect(own).toMatchObject([{ account, items: ids }]);
  });

  it.each(damages)('finds $name, and nothing else, in any order', async ({ writes, found }) => {
    const records = new Map(whole.map((record) => [nameOf(record), record]));
    for (const { PutRequest, DeleteRequest } of writes(account)) {
      if (PutRequest?.Item) records.set(nameOf(PutRequest.Item), PutRequest.Item);
      if (DeleteRequest?.Key) records.delete(nameOf(DeleteRequest.Key));
    }
    const all = [...records.values()];
    for (const inSomeOrder of [all, all.toReversed()]) {
      const findings = await verifyRecords(inSomeOrder, now);
      expect(sorted(findings.map(essence))).toEqual(sorted(found));
    }
  });
});
