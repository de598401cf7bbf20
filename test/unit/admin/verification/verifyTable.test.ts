import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../admin/table/rateLimiter.ts';
import { rateLimitedRecords, verifyTable } from '../../../../admin/verification/verifyTable.ts';
import { unlimited } from '../../../support/damage/verifier.ts';
import { type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { guard } from '../../../support/table/storedRecords.ts';

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
    await verifyTable({ database: scripted([]).database, source, limiter: unlimited() }, records, progress);
    expect(most).toBe(4);
  });
});

describe('records that are read at a limited rate', () => {
  const reading = (replies: readonly Reply[]) => {
    const { database, sent } = scripted(replies);
    const limiter = new RateLimiter(1_000, database.clock);
    return { records: rateLimitedRecords({ database, limiter }), sent, limiter };
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
