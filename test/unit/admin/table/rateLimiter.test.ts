import { expect, it } from 'vitest';
import { RateLimiter } from '../../../../admin/table/rateLimiter.ts';

it('spreads work over time, at half the rate each time the table is throttled, and recovers', async () => {
  let now = 0;
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const limiter = new RateLimiter(100, { now: () => now, sleep });
  /** How long ten pieces of work take that cost ten units each. */
  const tenPieces = async () => {
    const began = now;
    for (let piece = 0; piece < 10; piece += 1) await limiter.run(10, async () => undefined);
    return now - began;
  };
  await tenPieces();
  expect(await tenPieces()).toBeCloseTo(1_000);
  limiter.slowDown();
  limiter.slowDown();
  const slow = await tenPieces();
  expect(slow).toBeGreaterThan(3_000);
  expect(slow).toBeLessThan(4_000);
  for (let round = 0; round < 20; round += 1) await tenPieces();
  expect(await tenPieces()).toBeCloseTo(1_000);
});
