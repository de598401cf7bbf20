import { roundHalfUp } from '../../lib/item/decimal.ts';
import { limits } from '../../lib/item/limits.ts';
import type { ColumnMapping } from './notices.ts';

/**
 * Whether a new item of a row would have the price 0, although nobody has written 0: headings, totals and footnotes of a
 * price list have no price, and 0.00004 is rounded to 0.
 */
export function hasNoPrice({ value }: { readonly value?: unknown }): boolean {
  const { max, decimals } = limits.value;
  if (typeof value !== 'number') return value === undefined || value === null;
  return value > 0 && value < 1 && roundHalfUp(value, decimals, max) === 0;
}

/**
 * Whether a row without a price is odd: the file has a column of prices or costs, or columns about which nobody has said more
 * than that they are left out, or kept as the others are. One of them may be the price. A mere list of names has none.
 */
export const expectsPrices = (columns: readonly ColumnMapping[]): boolean =>
  columns.some(({ target, source }) => {
    if (target === 'value' || target === 'cost' || source === 'others') return true;
    return source === 'answer' && target === 'ignore';
  });
