import { expect, it } from 'vitest';
import { remainingTime } from '../../../lib/http/remainingTime.ts';
import { lambdaContext } from '../../support/proxyEvent.ts';

it.each([
  [30_000, 8_000],
  [8_501, 8_000],
  [8_500, 8_000],
  [8_499, 7_999],
  [1_000, 500],
  [400, -100],
])('with %i ms left, a request has %i ms', (left, time) => {
  expect(remainingTime(lambdaContext(left))).toBe(time);
});
