import type { Account } from '../../item/account.ts';
import { roundQty } from '../../item/item.ts';

/**
 * Predicts how a quantity will be rounded, so that an update can be written without reading the stored unit first.
 * Picks the result that most of the account's units agree on. A whole number is the same in every unit, even in one
 * that was registered a moment ago.
 * @returns the rounded quantity, and the units for which it is right; undefined means all units
 * @throws an error when the account has no units: a broken table
 */
export function expectedQty(qty: number, account: Account): { qty: number; units: readonly string[] | undefined } {
  if (Number.isInteger(qty)) return { qty: roundQty(qty, 0), units: undefined };
  const byResult = Map.groupBy(account.units, ([, decimals]) => roundQty(qty, decimals));
  const [likely, units] = [...byResult].reduce((most, other) => (other[1].length > most[1].length ? other : most));
  return { qty: likely, units: units.map(([unit]) => unit) };
}
