import { expect, it, vi } from 'vitest';
import type { ScanSource } from '../../../../admin/table/scanTable.ts';
import { verificationHandler } from '../../../../admin/verification/verificationHandler.ts';
import { Database } from '../../../../lib/store/database/database.ts';
import { MemoryTable } from '../../../support/standIns/memoryTable/memoryTable.ts';

const gigabyte = 10 ** 9;
/** The units of a page of 1 MB. */
const page = 128;

/**
 * Verifies a table of this size on a clock that only moves while something waits.
 * @returns the minutes that it takes to scan it, and the kinds of what is found
 */
async function verify(size: number) {
  let now = 0;
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const clock = { now: () => now, random: Math.random, sleep };
  const segments = 4;
  const pages = Array.from({ length: segments }, () => Math.ceil(size / 8_192 / page / segments));
  const send = vi.fn(async ({ input: { Segment } }: { input: { Segment: number } }) => {
    pages[Segment] = (pages[Segment] ?? 0) - 1;
    return {
      Items: [],
      ConsumedCapacity: { CapacityUnits: page },
      LastEvaluatedKey: pages[Segment] > 0 ? {} : undefined,
    };
  });
  const source = { client: { send } as unknown as ScanSource['client'], table: 'table-1' };
  const observe = vi.fn();
  const database = new Database(new MemoryTable(), 'table-1', clock);
  await verificationHandler({ database, source, size: async () => size, observe })();
  return { minutes: now / 60_000, scanned: send.mock.calls.length > 0, found: observe.mock.calls };
}

it.each([0.1, 1, 3, 6, 8])('a table of %d GB is verified in the 15 minutes that a function has', async (gigabytes) => {
  const { minutes, scanned, found } = await verify(gigabytes * gigabyte);
  expect([scanned, found]).toEqual([true, [[[]]]]);
  expect(minutes).toBeLessThan(13);
});

it('a small table is read no faster than the operators’ command reads it', async () => {
  expect((await verify(gigabyte)).minutes).toBeGreaterThan(4);
});

it('a table that is too large for one night is a finding, and is not read', async () => {
  expect(await verify(9 * gigabyte)).toEqual({ minutes: 0, scanned: false, found: [[['table too large']]] });
});
