import { beforeAll, describe, expect, it } from 'vitest';
import { verifyRecords } from '../../../lib/operator/verification/verifyTable.ts';
import { Database } from '../../../lib/store/database/database.ts';
import type { StoredRecord } from '../../../lib/store/database/documentClient.ts';
import { keyIn } from '../../../lib/store/records/parseKey.ts';
import { damages, essence, sorted } from '../../support/damages.ts';
import { MemoryTable } from '../../support/memoryTable/memoryTable.ts';
import { items, now } from '../../support/storedRecords.ts';
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

  it('finds nothing in a whole one', async () => {
    expect(await verifyRecords(whole, now)).toEqual([]);
  });

  it.each(damages)('finds $name, and nothing else', async ({ writes, found }) => {
    const records = new Map(whole.map((record) => [nameOf(record), record]));
    for (const { PutRequest, DeleteRequest } of writes(account)) {
      if (PutRequest?.Item) records.set(nameOf(PutRequest.Item), PutRequest.Item);
      if (DeleteRequest?.Key) records.delete(nameOf(DeleteRequest.Key));
    }
    const findings = await verifyRecords([...records.values()], now);
    expect(sorted(findings.map(essence))).toEqual(sorted(found));
  });
});
