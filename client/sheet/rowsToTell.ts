/** What people are told of the rows of a sheet before they are written. */
import { roundHalfUp } from '../../lib/item/decimal.ts';
import type { FieldProblem } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import type { ColumnMapping } from './columns.ts';

/**
 * Whether a new item of a row would have the price 0, although nobody has written 0: headings, totals and footnotes of a
 * price list have no price, and 0.00004 is rounded to 0.
 */
export function hasNoPrice({ value }: { readonly value?: unknown }): boolean {
  const { max, decimals } = limits.value;
  if (typeof value !== 'number') return value === undefined || value === null;
  return value > 0 && value < 1 && roundHalfUp(value, decimals, max) === 0;
}

type Fields = { readonly [field: string]: unknown };

/** Whether a row of an export, of which columns may have been removed, is the item that has its id in this account. */
export const isItemHere = (row: Fields, item: Fields): boolean =>
  ['name', 'sku', 'pn'].some((field) => typeof row[field] === 'string' && row[field] === item[field]);

/**
 * Whether a row without a price is odd: the file has a column of prices, or columns that were left out, of which one may
 * be that. A mere list of names has none.
 */
export const expectsPrices = (columns: readonly ColumnMapping[]): boolean =>
  columns.some(({ target, source }) => target === 'value' || (target === 'ignore' && source === 'answer'));

/** The lines without an identifier whose price is the sum of those above that have one: totals of a list. */
export function totalsIn(rows: readonly { readonly line: number; readonly body: Fields }[]): number[] {
  let [sinceOther, all, added] = [0, 0, 0];
  return rows.flatMap(({ line, body: { value, sku, pn } }) => {
    if (typeof value !== 'number' || value <= 0) return [];
    if (typeof (sku ?? pn) === 'string') {
      [sinceOther, all, added] = [sinceOther + value, all + value, added + 1];
      return [];
    }
    const isTotal = added > 1 && [sinceOther, all].some((sum) => Math.abs(sum - value) < 0.005);
    sinceOther = 0;
    return isTotal ? [line] : [];
  });
}

/** Equal problems of several rows. */
export interface ProblemGroup<Problem> {
  readonly problem: Problem;
  /** The first lines that have it, and how many there are. */
  readonly lines: readonly number[];
  readonly count: number;
}

/** The problems of rows by their lines: equal ones once, in the order of their first lines. */
export function groupedProblems<Problem extends FieldProblem>(
  rows: Iterable<readonly [line: number, problems: readonly Problem[]]>,
): ProblemGroup<Problem>[] {
  const groups = new Map<string, ProblemGroup<Problem>>();
  for (const [line, problems] of rows)
    for (const problem of problems) {
      const key = JSON.stringify([problem.field, problem.path, problem.reason]);
      const { lines, count } = groups.get(key) ?? { lines: [], count: 0 };
      groups.set(key, { problem, lines: lines.length < 3 ? [...lines, line] : lines, count: count + 1 });
    }
  return [...groups.values()];
}
