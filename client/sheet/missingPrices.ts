import { roundHalfUp } from '../../lib/item/decimal.ts';
import { limits } from '../../lib/item/limits.ts';
import { isCustom } from './exportCells.ts';
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

/** An amount as prices are written: with two decimals, or a currency. */
const priceLike = /\d[.,]\d\d$|\p{Sc}/u;

/**
 * Whether a row without a price is odd: the file has a column of prices or costs, or one that may be that. Nobody has looked at
 * a column that is kept as all others are, and one that is left out, or has cells like prices, may be a mistake. A mere list
 * of names has none.
 */
export const expectsPrices = (columns: readonly ColumnMapping[]): boolean =>
  columns.some(({ target = '', source, examples = [] }) => {
    if (target === 'value' || target === 'cost' || source === 'others') return true;
    if (source !== 'answer') return false;
    return target === 'ignore' || (isCustom(target) && examples.some((cell) => priceLike.test(cell)));
  });
