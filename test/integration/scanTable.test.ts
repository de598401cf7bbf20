import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../admin/table/rateLimiter.ts';
import { type ScanSource, scanTable } from '../../admin/table/scanTable.ts';
import { batch, item, put, stored } from '../support/table/storedRecords.ts';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';

describe('the rate limit of a scan', () => {
  it('is never exceeded, regardless of the records’ cost, and every record is read once', async () => {
    const table = await createTestTable();
    const account = await openTestAccount(table);
    const large = (index: number) =>
      item(account, index + 1, { description: 'x'.repeat(index % 10 === 0 ? 20_000 : 10) });
    await batch(
      table,
      Array.from({ length: 300 }, (_, index) => put(large(index))),
    );
    let time = 0;
    const costs: number[] = [];
    const client: ScanSource['client'] = {
      send: async (...args: unknown[]) => {
        const page = (await Reflect.apply(table.client.send, table.client, args)) as {
          ConsumedCapacity?: { CapacityUnits?: number };
        };
        costs.push(page.ConsumedCapacity?.CapacityUnits ?? Number.NaN);
        return page as never;
      },
    };
    // The clock only advances while something waits.
    const world = {
      now: () => time,
      sleep: async (milliseconds: number) => {
        time += milliseconds;
      },
    };
    const limiter = new RateLimiter(20, world);
    const seen = new Set<string>();
    await scanTable({ client, table: table.table }, { segments: 1, limiter }, (page) => {
      for (const { pk, sk } of page) seen.add(`${pk} ${sk}`);
    });
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    expect(seen.size).toBe((await stored(table)).length);
    expect(limiter.spent).toBe(total);
    expect(Math.max(...costs)).toBeLessThanOrEqual(40);
    expect((total - (costs.at(-1) ?? 0)) / (time / 1_000)).toBeCloseTo(20);
  });

  it('is based on the size of the records if the engine does not report consumed capacity', async () => {
    const limiter = new RateLimiter(1_000, { now: Date.now, sleep });
    const Items = [{ text: 'x'.repeat(10_000) }];
    const source = { table: 't', client: { send: async () => ({ Items }) as never } };
    await scanTable(source, { segments: 1, limiter }, () => {});
    expect(limiter.spent).toBe(1.5);
  });
});
