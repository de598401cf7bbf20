import { expect, it } from 'vitest';
import { deadlineOf } from '../../../lib/catalog/requestContext.ts';

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
