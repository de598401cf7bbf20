import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../admin/table/rateLimiter.ts';
import { type ScanSource, scanTable } from '../../../../admin/table/scanTable.ts';

/** A page: its number of records, its cost in units, and whether another follows. */
const page = (records: number, CapacityUnits: number, isLast = false) => ({
  Items: Array.from({ length: records }, () => ({ pk: 'a' })),
  ConsumedCapacity: { CapacityUnits },
  ...(isLast ? {} : { LastEvaluatedKey: { pk: 'a' } }),
});

/** The limits of the pages that one segment requests. */
async function scan(pages: readonly object[], rate: number) {
  const requested: number[] = [];
  const send = async ({ input: { Segment, Limit } }: { input: { Segment: number; Limit: number } }) => {
    if (Segment > 0) return { Items: [] };
    requested.push(Limit);
    return pages[requested.length - 1];
  };
  const client = { send } as unknown as ScanSource['client'];
  const limiter = new RateLimiter(rate, { now: () => 0, sleep: async () => undefined });
  await scanTable({ source: { client, table: 't' }, limiter }, () => undefined);
  return requested;
}

describe('the pages of a scan', () => {
  it('are as large as a segment’s share of one second allows, at the cost of the last page’s records', async () => {
    const pages = [page(10, 5), page(200, 25), page(1, 400), page(1, 100), page(1, 1, true)];
    const requested = await scan(pages, 400);
    expect(requested).toEqual([50, 200, 800, 1, 1]);
  });

  it('have the same size after an empty page', async () => {
    const requested = await scan([page(10, 5), page(0, 1), page(10, 5, true)], 400);
    expect(requested).toEqual([50, 200, 200]);
  });

  it('share the rate among the segments', async () => {
    const requested = await scan([page(10, 5), page(10, 5, true)], 100);
    expect(requested).toEqual([25, 50]);
  });
});

it('a scan costs what the records weigh if the engine does not report consumed capacity', async () => {
  const limiter = new RateLimiter(1_000, { now: () => 0, sleep: async () => undefined });
  const source = { table: 't', client: { send: async () => ({ Items: [{ text: 'x'.repeat(10_000) }] }) as never } };
  await scanTable({ source, limiter }, () => undefined);
  expect(limiter.spent).toBe(4 * 1.5);
});

describe('a scan that fails in one segment', () => {
  it('does not go on in the others, but waits for them', async () => {
    const { promise: hasFailed, resolve } = Promise.withResolvers<undefined>();
    let taken = 0;
    const send = async ({ input: { Segment } }: { input: { Segment: number } }) => {
      if (Segment > 0) await hasFailed;
      return { ...page(1, 1, taken > 5), Items: [{ Segment }] };
    };
    const client = { send } as unknown as ScanSource['client'];
    const limiter = new RateLimiter(100, { now: () => 0, sleep: async () => undefined });
    const scanned = scanTable({ source: { client, table: 't' }, limiter }, ([record]) => {
      taken += 1;
      if (record?.['Segment'] === 0) throw new Error('one record fails');
    });
    let hasEnded = false;
    const ended = scanned.finally(() => {
      hasEnded = true;
    });
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    resolve(undefined);
    await expect(ended).rejects.toThrow('one record fails');
    // The pages that were already requested.
    expect(taken).toBe(4);
  });
});
