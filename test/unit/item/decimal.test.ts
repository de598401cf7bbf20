import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundHalfUp } from '../../../lib/item/decimal.ts';

const max = 99_999_999.9999;

describe('rounding', () => {
  it.each([
    [1.005, 2, 1.01],
    [2.5, 0, 3],
    [0.5, 0, 1],
    [0.49999999999999994, 0, 0],
    [0.30000000000000004, 4, 0.3],
    [0.00005, 4, 0.0001],
    [1e-7, 4, 0],
    [5e-7, 6, 0.000001],
    [5e-324, 4, 0],
    [1e2, 4, 100],
    [9.99995, 4, 10],
    [0, 0, 0],
  ])('of %d to %i decimals, half-up using its decimal text, is %d', (value, decimals, rounded) => {
    expect(roundHalfUp(value, decimals, max)).toBe(rounded);
  });

  it('of -0 is 0', () => {
    expect(Object.is(roundHalfUp(-0, 2, max), 0)).toBe(true);
  });

  it.each([
    [99_999_999.9999, 0, 99_999_999],
    [99_999_999.9999, 3, 99_999_999.999],
    [99_999_999.9999, 4, 99_999_999.9999],
    [99_999_999.5, 0, 99_999_999],
    [99_999_998.5, 0, 99_999_999],
  ])('goes down if rounding up would exceed the maximum: %d at %i decimals is %d', (value, decimals, rounded) => {
    expect(roundHalfUp(value, decimals, max)).toBe(rounded);
  });
});

/** Exact arithmetic on the decimal text of numbers: every number times ten to the power of this is an integer. */
const scale = 345;

function exact(value: number): bigint {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(scale - fraction.length + Number(exponent));
}

const step = (decimals: number): bigint => 10n ** BigInt(scale - decimals);

/** Numbers up to the maximum, half of them one digit longer than is kept, ties among them. */
const sent = fc.integer({ min: 0, max: 6 }).chain((decimals) =>
  fc.record({
    decimals: fc.constant(decimals),
    value: fc.oneof(
      fc.double({ min: 0, max, noNaN: true }),
      fc
        .integer({ min: 0, max: Math.floor(max) })
        .map((digits) => Number(`${digits}5e-${decimals + 1}`))
        .filter((value) => value <= max),
    ),
  }),
);

it('each number is rounded within bounds, to so many decimals, half a unit off at most, up from a tie', () => {
  fc.assert(
    fc.property(sent, ({ value, decimals }) => {
      const rounded = roundHalfUp(value, decimals, max);
      expect(rounded >= 0 && rounded <= max).toBe(true);
      expect(exact(rounded) % step(decimals)).toBe(0n);
      const raised = exact(rounded) - exact(value);
      const isLast = exact(rounded) + step(decimals) > exact(max);
      if (raised >= 0n) expect(2n * raised <= step(decimals)).toBe(true);
      else expect(isLast ? -raised < step(decimals) : -2n * raised < step(decimals)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
