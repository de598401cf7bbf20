import { roundHalfUp } from '../../../lib/item/decimal.ts';
import type { Json } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { isKey, quantityNames } from './changeHistory.ts';
import { type AccountCatalog, type FieldReport, isBack, type Outcome } from './undoPlan.ts';

const isQuantity = (field: string): boolean => quantityNames.includes(field);

const isUnit = ({ units }: AccountCatalog, unit: Json | undefined): boolean =>
  units.some((entry) => entry.unit === unit);

/** Whether an item can have the quantity exactly. If none goes back, it keeps the one that it has. */
function isExact({ units }: AccountCatalog, qty: Json | undefined, unit: Json | undefined): boolean {
  const decimals = units.find((entry) => entry.unit === unit)?.decimals ?? 0;
  return qty === undefined || roundHalfUp(Number(qty), decimals, limits.qty.max) === qty;
}

/** An item as it would be, for the account that it is in. */
interface Goal {
  readonly catalog: AccountCatalog;
  readonly values: ReadonlyMap<string, Json>;
  /** The quantity that goes back, if one does. */
  readonly qty: Json | undefined;
  readonly isQuantityLost: boolean;
}

/** Why a field that could go back stays on account of what the account and the item have now, in the order of decision. */
const limitOutcomes: readonly (readonly [Outcome, (report: FieldReport, goal: Goal) => boolean])[] = [
  ['category archived', ({ field, before }, { catalog }) => field === 'category' && !isOpen(catalog, before)],
  ['too large to be kept', ({ field }, { isQuantityLost }) => isQuantity(field) && isQuantityLost],
  ['unit unknown', ({ field }, { catalog, values }) => isQuantity(field) && !isUnit(catalog, values.get('unit'))],
  [
    'would be rounded',
    ({ field }, goal) => isQuantity(field) && !isExact(goal.catalog, goal.qty, goal.values.get('unit')),
  ],
  [
    'too many keys',
    ({ field, now }, { values }) => isKey(field) && now === null && keysIn(values) > limits.metadata.keysStored,
  ],
];

const isOpen = ({ categories }: AccountCatalog, category: Json | undefined): boolean =>
  category === null || categories.some(({ id, archived }) => id === category && !archived);

const keysIn = (values: ReadonlyMap<string, Json>): number => [...values.keys()].filter(isKey).length;

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
  const qty = reports.find((report) => report.field === 'qty' && isBack(report))?.before;
  const isQuantityLost = reports.some(({ field, result }) => isQuantity(field) && result === 'too large to be kept');
  const goal = { catalog, values, qty, isQuantityLost };
  return reports.map((report) => {
    const limit = isBack(report) ? limitOutcomes.find(([, isReached]) => isReached(report, goal)) : undefined;
    return limit === undefined ? report : { ...report, result: limit[0] };
  });
}
