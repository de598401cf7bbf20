import { groupBy } from '../../../lib/item/lists.ts';
import { type FieldReport, isBack, type Outcome } from './undoPlan.ts';

/** Equal results, of new items or of a field of others: "11 new items become inactive", "3 prices go back". */
export interface UndoGroup {
  /** The field. Undefined if the group is of items that the selected changes created. */
  readonly field: string | undefined;
  readonly result: Outcome;
  /** Who has changed it since, if that is why it stays. */
  readonly by: string | undefined;
  /** How many items there are in the group. */
  readonly count: number;
}

/** Sums up a report, for a sentence: what goes back is first, and new items are before fields. */
export function summaryOf(report: readonly FieldReport[]): readonly UndoGroup[] {
  const [created, others] = [true, false].map((is) => report.filter(({ isCreated }) => isCreated === is));
  const items = [...groupBy(created ?? [], ({ item }) => item).values()];
  // An item becomes inactive if one of its fields goes back.
  const entries = [...items.flatMap((fields) => fields.find(isBack) ?? fields[0] ?? []), ...(others ?? [])];
  const groups = entries.map(({ isCreated, field, result, by }) => ({
    field: isCreated ? undefined : field,
    result,
    by,
  }));
  const counted = [...groupBy(groups, (group) => JSON.stringify(group)).values()];
  return counted
    .flatMap((same) => same.slice(0, 1).map((group) => ({ ...group, count: same.length })))
    .toSorted((a, b) => Number(b.result === 'put back') - Number(a.result === 'put back'));
}
