/** Rows of a sheet whose prices are missing, or are totals of those above. */
import { roundHalfUp } from '../../lib/item/decimal.ts';
import { identifierNames } from '../../lib/item/fields.ts';
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

interface TotalledRow {
  readonly line: number;
  readonly body: { readonly [field: string]: unknown };
}

/**
 * Finds totals of a list: rows without an identifier that are called a total, or whose price is the sum of those above, also
 * of each price times its quantity. Where no row has an identifier, only the last one can be known.
 * @returns their lines
 */
export function findTotals(rows: readonly TotalledRow[]): number[] {
  const hasIdentifiers = rows.some(hasIdentifier);
  const last = rows.findLast(({ body: { value } }) => typeof value === 'number' && value > 0);
  const sums = { sinceTotal: 0, all: 0, worth: 0 };
  let added = 0;
  return rows.flatMap((row) => {
    const { line, body } = row;
    const { name, value, qty } = body;
    if (typeof value !== 'number' || value <= 0) return [];
    if (hasIdentifiers ? !hasIdentifier(row) : row === last) {
      const isSum = added > 1 && Object.values(sums).some((sum) => Math.abs(sum - value) <= tolerance(value));
      sums.sinceTotal = 0;
      return isSum || (added > 0 && isCalledTotal(name)) ? [line] : [];
    }
    sums.sinceTotal += value;
    sums.all += value;
    sums.worth += value * (typeof qty === 'number' ? qty : 1);
    added += 1;
    return [];
  });
}

const hasIdentifier = ({ body }: TotalledRow): boolean =>
  identifierNames.some((name) => typeof body[name] === 'string');

const isCalledTotal = (name: unknown): boolean =>
  typeof name === 'string' && /^\W*(grand |sub-?)?totals?\b/i.test(name);

/** Rows that are left out, or were rounded, change a sum a little. */
const tolerance = (value: number): number => Math.max(0.005, value / 1_000);
