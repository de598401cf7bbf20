import { roundHalfUp } from '../../../lib/item/decimal.ts';
import type { Json } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import type { AccountCatalog } from './undoPlan.ts';

/** A quantity and its unit are one value: neither means anything without the other. */
export const quantityNames: readonly string[] = ['qty', 'unit'];

export const isQuantity = (field: string): boolean => quantityNames.includes(field);

export const isUnit = ({ units }: AccountCatalog, unit: Json | undefined): boolean =>
  units.some((entry) => entry.unit === unit);

/** Whether an item can have the quantity exactly. If none goes back, it keeps the one that it has. */
export function isExact({ units }: AccountCatalog, qty: Json | undefined, unit: Json | undefined): boolean {
  const decimals = units.find((entry) => entry.unit === unit)?.decimals ?? 0;
  return qty === undefined || roundHalfUp(Number(qty), decimals, limits.qty.max) === qty;
}
