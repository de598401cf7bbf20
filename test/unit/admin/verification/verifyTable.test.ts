import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../admin/table/rateLimiter.ts';
import type { ScanSource } from '../../../../admin/table/scanTable.ts';
import { rateLimitedRecords, verifyTable } from '../../../../admin/verification/verifyTable.ts';
import { Database } from '../../../../lib/store/database/database.ts';
import type { StoredRecord } from '../../../../lib/store/database/record.ts';
import { unlimited } from '../../../support/damage/verifier.ts';
import { MemoryTable } from '../../../support/standIns/memoryTable/memoryTable.ts';
import { type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { guard } from '../../../support/table/storedRecords.ts';
import { openTestAccount } from '../../../support/table/testTable.ts';

describe('the verification of a table', () => {
  /** Verifies a table whose scan returns these records. */
  async function verify(database: Database, scanned: readonly StoredRecord[]) {
    const send = async ({ input: { Segment } }: { input: { Segment: number } }) => ({
      Items: Segment === 0 ? scanned : [],
      ConsumedCapacity: { CapacityUnits: 1 },
    });
    const source = { client: { send } as unknown as ScanSource['client'], table: 'table-1' };
    const limiter = unlimited();
    const progress = { records: 0, suspects: 0, rechecked: 0 };
    const options = { segments: 2, limiter, now: Date.now, progress };
    const findings = await verifyTable(source, rateLimitedRecords(database, limiter), options);
    return { findings, progress };
  }

  it('rechecks the suspects of its scan, and reports its progress', async () => {
    const table = new MemoryTable();
    const database = new Database(table, 'table-1');
    const account = await openTestAccount({ database });
    const seen = table.records();
    const orphans = ['a', 'b', 'c'].map((text) => guard(account, 'sku', text, 1));
    for (const orphan of orphans) table.execute(new PutCommand({ TableName: 'table-1', Item: orphan }));
    // This one no longer exists when it is rechecked.
    const scanned = [...seen, guard(account, 'sku', 'gone', 1), ...orphans];
    const { findings, progress } = await verify(database, scanned);
    expect(findings).toMatchObject(['a', 'b', 'c'].map((text) => ({ kind: 'guard orphaned', account, text })));
    expect(progress).toEqual({ records: scanned.length, suspects: 4, rechecked: 4 });
  });
});

describe('the suspects of a scan', () => {
  it('are rechecked as many at a time as there are segments', async () => {
    let reading = 0;
    let most = 0;
    const records = {
      get: async () => {
        reading += 1;
        most = Math.max(most, reading);
        await new Promise(setImmediate);
        reading -= 1;
        return undefined;
      },
      query: async () => [],
    };
    const scanned = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => guard('acme', 'sku', text, 1));
    const source = { client: { send: async () => ({ Items: scanned }) as never }, table: 'table-1' };
    const progress = { records: 0, suspects: 0, rechecked: 0 };
    await verifyTable(source, records, { segments: 3, limiter: unlimited(), now: Date.now, progress });
    expect(most).toBe(3);
  });
});

describe('records that are read at a limited rate', () => {
  const reading = (replies: readonly Reply[]) => {
    const { database, sent } = scripted(replies);
    const limiter = new RateLimiter(1_000, database.clock);
    return { records: rateLimitedRecords(database, limiter), sent, limiter };
  };

  it.each([
    [2_048, 1_024, 1],
    [2_049, 1_024, 0],
    [2_048, 1_025, 0],
  ])('are only requested if DynamoDB accepts the key: of %i and %i bytes', async (pk, sk, requests) => {
    const { records, sent } = reading([{}]);
    // Characters of two bytes each, and a last one of one byte.
    const text = (bytes: number) => `${'é'.repeat(Math.floor(bytes / 2))}${'e'.repeat(bytes % 2)}`;
    expect(await records.get({ pk: text(pk), sk: text(sk) })).toBeUndefined();
    expect(sent).toHaveLength(requests);
  });

  it('cost a unit for each 4 KB, and one if nothing is found', async () => {
    const { records, limiter } = reading([{}, { Item: { a: 'x'.repeat(10_000) } }, { Items: [{ a: 1 }] }]);
    await records.get({ pk: 'a', sk: 'a' });
    expect(limiter.spent).toBe(1);
    await records.get({ pk: 'a', sk: 'b' });
    expect(limiter.spent).toBe(4);
    expect(await records.query('a')).toEqual([{ a: 1 }]);
    expect(limiter.spent).toBe(5);
  });
});
