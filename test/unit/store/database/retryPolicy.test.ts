import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RetryReason, retryReasons, timedContext } from '../../../../lib/catalog/requestContext.ts';
import { Attempts, RetryBudget } from '../../../../lib/store/database/retryPolicy.ts';

const cause = new Error('throttled');
/** The greatest number that `Math.random` returns. */
const almostOne = 1 - 2 ** -53;

/** A piece of work with a clock that only sleeping advances, and the waits. */
function begin({ time = 60_000, random = almostOne, budget = new RetryBudget() } = {}) {
  const waits: number[] = [];
  let clock = 1_000;
  const world = {
    now: () => clock,
    random: () => random,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
      clock += milliseconds;
    },
  };
  const work = timedContext(clock + time);
  return { retries: new Attempts(work, world, budget), work, waits };
}

const busy = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', cause });

/** Retries until that is refused. Returns the longest wait before each attempt, in whole milliseconds. */
async function exhaust(reason: RetryReason, options = {}) {
  const { retries, waits } = begin(options);
  await expect(
    (async () => {
      for (let tries = 0; tries < 1_000; tries += 1) await retries.backOff(reason, cause);
    })(),
  ).rejects.toEqual(busy);
  return waits.map(Math.round);
}

describe('a retry', () => {
  it.each([
    ['throttled', [50, 100, 200, 400, 800]],
    ['unknown', [50, 100, 200, 400, 800, 3_650]],
  ] as const)('when %s waits up to %j ms, then gives up', async (reason, longest) => {
    expect(await exhaust(reason)).toEqual(longest);
  });

  it.each(['conflict', 'moved'] as const)('after a conflict (%s) is allowed until the deadline', async (reason) => {
    const waits = await exhaust(reason, { time: 8_000 });
    expect(waits.slice(0, 6)).toEqual([20, 40, 80, 160, 320, 400]);
    expect(new Set(waits.slice(5))).toEqual(new Set([400]));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(7_500);
  });

  it('waits for a random time, which can be zero', async () => {
    expect(await exhaust('throttled', { random: 0 })).toEqual([0, 0, 0, 0, 0]);
    expect(await exhaust('throttled', { random: 0.5 })).toEqual([25, 50, 100, 200, 400]);
  });

  it('after an unknown outcome is possible for at least 5.2 s, by when DynamoDB has settled it', async () => {
    const waits = await exhaust('unknown', { random: 0 });
    expect(waits).toEqual([0, 0, 0, 0, 0, 5_200]);
  });

  it('never waits beyond the deadline', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...retryReasons),
        fc.nat({ max: 6_000 }),
        fc.double({ min: 0.1, max: almostOne, noNaN: true }),
        async (reason, time, random) => {
          const { retries, waits } = begin({ time, random });
          while (
            await retries.backOff(reason, cause).then(
              () => true,
              () => false,
            )
          );
          expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(Math.max(time, 1));
        },
      ),
    );
  });

  it.each([0, -1])('is refused with %i ms left', async (time) => {
    expect(await exhaust('throttled', { time, random: 0 })).toEqual([]);
  });

  it('counts its reason separately, and counts in the stats only if it is made', async () => {
    const { retries, work } = begin({ time: 130 });
    await retries.backOff('throttled', cause);
    await retries.backOff('conflict', cause);
    await retries.backOff('conflict', cause);
    await expect(retries.backOff('throttled', cause)).rejects.toEqual(busy);
    expect(retryReasons.map((reason) => retries.count(reason))).toEqual([2, 2, 0, 0]);
    expect(work.stats).toEqual({
      roundTrips: 0,
      databaseTime: 0,
      retries: { throttled: 1, conflict: 2, unknown: 0, moved: 0 },
    });
  });
});

describe('the budget of a container', () => {
  const spendAll = (budget: RetryBudget) => {
    let spent = 0;
    while (budget.spend()) spent += 1;
    return spent;
  };

  it('allows 100 retries, for all of its requests together', async () => {
    const budget = new RetryBudget();
    expect(spendAll(budget)).toBe(100);
    expect(await exhaust('throttled', { budget })).toEqual([]);
  });

  it('grows by a tenth of a retry with each success', () => {
    const budget = new RetryBudget();
    spendAll(budget);
    for (let successes = 0; successes < 9; successes += 1) budget.succeed(0);
    expect(budget.spend()).toBe(false);
    budget.succeed(0);
    expect(budget.spend()).toBe(true);
    expect(budget.spend()).toBe(false);
  });

  it('never exceeds its initial size', () => {
    const budget = new RetryBudget();
    for (let successes = 0; successes < 1_000; successes += 1) budget.succeed(0);
    expect(spendAll(budget)).toBe(100);
  });

  it('is not used by conflicting writers, because one account could otherwise cause another’s outage', async () => {
    const budget = new RetryBudget();
    await exhaust('moved', { budget });
    await exhaust('conflict', { budget });
    expect(spendAll(budget)).toBe(100);
  });

  it('gets back the retries of a success', async () => {
    const budget = new RetryBudget();
    const { retries } = begin({ budget });
    await retries.backOff('throttled', cause);
    await retries.backOff('unknown', cause);
    retries.succeed();
    expect(spendAll(budget)).toBe(100);
  });

  it('is not used for an attempt that is out of time', async () => {
    const budget = new RetryBudget();
    await exhaust('throttled', { budget, time: 0 });
    expect(spendAll(budget)).toBe(100);
  });
});
