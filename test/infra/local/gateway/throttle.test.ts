import { expect, test } from 'vitest';
import { Throttle } from '../../../../infra/local/gateway/throttle.ts';

test('a stage lets a burst pass, and then as many as its rate', () => {
  const throttle = new Throttle({ rate: 20, burst: 2 }, 1_000);
  const passed = (now: number) => Array.from({ length: 4 }, () => throttle.pass(now)).filter(Boolean).length;
  expect(passed(1_000)).toBe(2);
  expect(passed(1_049)).toBe(0);
  expect(passed(1_050)).toBe(1);
  expect(passed(1_150)).toBe(2);
  expect(passed(60_000)).toBe(2);
});
