import { expect, it } from 'vitest';
import { startWork } from '../../../lib/catalog/catalogStore.ts';

it('each piece of work counts its effort by itself, from nothing', () => {
  const [one, other] = [startWork(1_000), startWork(1_000)];
  expect(one).toEqual({
    deadline: 1_000,
    effort: { roundTrips: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } },
  });
  one.effort.roundTrips += 1;
  one.effort.retries.moved += 1;
  expect(other).toEqual(startWork(1_000));
});
