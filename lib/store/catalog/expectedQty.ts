import type { Account } from '../../item/account.ts';
import { roundQty } from '../../item/item.ts';

/**
 * How a quantity is rounded in most of an account's units, and in which: with that an update can be written without
 * knowing the stored unit. A whole number is the same in any unit, also in one that was registered a moment ago.
 * @returns the rounded quantity, and the units that it holds for; undefined for all
 * @throws an error when the account has no units: a broken table
 */
export function expectedQty(qty: number, account: Account): { qty: number; units: readonly string[] | undefined } {
  if (Number.isInteger(qty)) return { qty: roundQty(qty, 0), units: undefined };
  const byResult = Map.groupBy(account.units, ([, decimals]) => roundQty(qty, decimals));
  const [likely, units] = [...byResult].reduce((most, other) => (other[1].length > most[1].length ? other : most));
  return { qty: likely, units: units.map(([unit]) => unit) };
}
