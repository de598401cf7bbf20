import type { Account } from '../../item/account.ts';
import { roundQty } from '../../item/item.ts';

/**
 * Predicts how a quantity will be rounded, so that an update can be written without reading the stored unit first.
 * Picks the result that most of the account's units agree on. A whole number is the same in every unit, even in one
 * that was registered a moment ago.
 * @returns the rounded quantity, and the units for which it is right; undefined means all units
 */
export function expectedQty(qty: number, account: Account): { qty: number; units: readonly string[] | undefined } {
  if (Number.isInteger(qty)) return { qty: roundQty(qty, 0), units: undefined };
  const byResult = Map.groupBy(account.units.keys(), (unit) => roundQty(qty, account.units.get(unit) ?? 0));
  const [likely = [qty, []]] = [...byResult].sort(([, a], [, b]) => b.length - a.length);
  return { qty: likely[0], units: likely[1] };
}
