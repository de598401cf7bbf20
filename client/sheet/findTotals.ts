import { identifierNames } from '../../lib/item/fields.ts';

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
