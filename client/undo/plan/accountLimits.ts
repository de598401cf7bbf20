import { roundHalfUp } from '../../../lib/item/decimal.ts';
import type { Json } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { isKey, quantityNames } from './changeHistory.ts';
import { type AccountCatalog, type FieldReport, isBack, type Outcome } from './undoPlan.ts';

const isQuantity = (field: string): boolean => quantityNames.includes(field);

const isOpen = ({ categories }: AccountCatalog, category: Json | undefined): boolean =>
  category === null || categories.some(({ id, archived }) => id === category && !archived);

/**
 * Reports what cannot go back because of what the account and the item have now.
 * @param present the item's values by field, and by key of its metadata
 */
export function withinLimits(
  catalog: AccountCatalog,
  present: ReadonlyMap<string, Json>,
  reports: readonly FieldReport[],
): readonly FieldReport[] {
  const values = new Map(present);
  for (const { field, before } of reports.filter(isBack)) {
    if (before === undefined || before === null) values.delete(field);
    else values.set(field, before);
  }
  const keys = [...values.keys()].filter(isKey).length;
  const unit = catalog.units.find((entry) => entry.unit === values.get('unit'));
  // If no quantity goes back, the item keeps the one that it has.
  const qty = reports.find((report) => report.field === 'qty' && isBack(report))?.before;
  const isQuantityLost = reports.some(({ field, result }) => isQuantity(field) && result === 'too large to be kept');

  /** Why a field that could go back stays. */
  const limitOf = ({ field, before, now }: FieldReport): Outcome | undefined => {
    if (field === 'category') return isOpen(catalog, before) ? undefined : 'category archived';
    if (isKey(field)) return now === null && keys > limits.metadata.keysStored ? 'too many keys' : undefined;
    if (!isQuantity(field)) return undefined;
    if (isQuantityLost) return 'too large to be kept';
    if (unit === undefined) return 'unit unknown';
    const isExact = qty === undefined || roundHalfUp(Number(qty), unit.decimals, limits.qty.max) === qty;
    return isExact ? undefined : 'would be rounded';
  };
  return reports.map((report) => {
    const limit = isBack(report) ? limitOf(report) : undefined;
    return limit === undefined ? report : { ...report, result: limit };
  });
}
