/** The decimal digits of a non-negative number, with any exponent expanded: `1e-7` becomes `0.0000001`. */
function plainDecimal(value: number): { whole: string; fraction: string } {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const zeros = Math.max(0, -Number(exponent));
  const digits = '0'.repeat(zeros) + whole + fraction;
  const point = zeros + whole.length + Number(exponent);
  return { whole: digits.slice(0, point), fraction: digits.slice(point) };
}

/**
 * Rounds half-up using the number's decimal text instead of its binary value, so 1.005 at 2 decimals is 1.01. Rounds
 * down if rounding up would exceed the maximum.
 * @param value 0 to `max`, below 1e21; `-0` returns 0
 * @param decimals how many decimals to keep, 0 to 15
 */
export function roundHalfUp(value: number, decimals: number, max: number): number {
  const { whole, fraction } = plainDecimal(value);
  // Nothing to round. Adding 0 turns -0 into 0.
  if (fraction.length <= decimals) return value + 0;
  const kept = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  const up = (fraction[decimals] ?? '0') >= '5';
  const rounded = Number(`${up ? kept + 1n : kept}e-${decimals}`);
  return rounded > max ? Number(`${kept}e-${decimals}`) : rounded;
}
