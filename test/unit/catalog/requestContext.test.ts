import { expect, it } from 'vitest';
import { deadlineOf, timedContext } from '../../../lib/catalog/requestContext.ts';

it('each context has its own stats, starting at zero', () => {
  const [one, other] = [timedContext(1_000), timedContext(1_000)];
  expect(one).toEqual({
    deadline: 1_000,
    stats: { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } },
  });
  one.stats.roundTrips += 1;
  one.stats.retries.moved += 1;
  expect(other).toEqual(timedContext(1_000));
});

it.each([
  [30_000, 8_000],
  [8_501, 8_000],
  [8_500, 8_000],
  [8_499, 7_999],
  [1_000, 500],
  [400, -100],
])('with %i ms left, a request has %i ms', (left, time) => {
  expect(deadlineOf(50_000, left)).toBe(50_000 + time);
});
