import type { Json } from '../../../lib/item/json.ts';
import { groupBy } from '../../../lib/item/lists.ts';
import type { Item, Schemas } from '../../http/catalogClient.ts';
import type { UndoSelection } from '../undoTarget.ts';
import { withinLimits } from './accountLimits.ts';
import { historyOf, isOwn, isSame, type Mark, valuesOf, type WayBack, wayBack } from './changeHistory.ts';
import { planUpdates } from './planUpdates.ts';
import type { FieldReport, Outcome, PlanInput, UndoPlan } from './undoPlan.ts';

/**
 * Plans how to undo changes by updates. Nobody else's value is ever changed, an undo can be undone in the same way, and
 * done twice it does nothing. Every field that the selection changed is reported.
 *
 * After the last step, or a row that was refused, look and plan again. The undo is done when there are no rows.
 */
export function planUndo(input: PlanInput): UndoPlan {
  const histories = groupBy(input.changes, ({ item }) => item);
  const reports = [...histories].flatMap(([id, changes]) => reportItem(input, id, changes));
  return planUpdates(input.items, reports);
}

const isAmong = <One>(all: readonly One[] | undefined, entry: One): boolean => all?.includes(entry) ?? true;

/** Whether a change is one of those to undo. `updated_at` is to the second. */
export const isSelected = (
  { users, from, to, kinds, items, known }: UndoSelection,
  change: Schemas['Change'],
): boolean =>
  Date.parse(change.updated_at) > +from - 1_000 &&
  Date.parse(change.updated_at) < +to &&
  users.includes(change.updated_by) &&
  isAmong(kinds, change.kind) &&
  isAmong(items, change.item) &&
  (known?.byItem.get(change.item)?.has(change.revision) ?? true);

/** Reports each field of an item that the selection changed. */
function reportItem(input: PlanInput, id: number, changes: readonly Schemas['Change'][]): readonly FieldReport[] {
  const { selection, items, rejected, catalog } = input;
  const item = items.get(id);
  const isKnown = item !== undefined && isKnownWrite(input, item);
  const history = historyOf(changes, (change) => markOf(input, change), item, isKnown);
  const present = valuesOf(item);
  const changed = new Set(history.filter(isOwn).flatMap(({ fields }) => [...fields.keys()]));
  /** The outcome of a field, the first that holds. */
  const outcomeOf = ({ isCreated, before, since }: WayBack, given: Json | undefined, now: Json): Outcome => {
    if (item === undefined) return 'item removed';
    if (isSame(before, now)) return 'right already';
    if (since !== undefined) return isCreated ? 'created, and written since' : 'changed since';
    const isLost = before === undefined || (!isCreated && given === undefined);
    if (isLost) return 'too large to be kept';
    return rejected.has(id) ? 'refused' : 'put back';
  };
  const isAsked = (field: string) => [field, field.split('.')[0]].some((name) => isAmong(selection.fields, name));
  const reports = [...changed].filter(isAsked).flatMap((field): FieldReport[] => {
    const way = wayBack(history, field);
    if (way === undefined) return [];
    const { isCreated, run, before, since } = way;
    const given = run.findLast(({ fields }) => fields.has(field))?.fields.get(field)?.to;
    const now = present.get(field) ?? null;
    const result = outcomeOf(way, given, now);
    const number = run[0]?.number ?? 0;
    return [{ item: id, field, isCreated, result, number, before, given, now, by: since?.by, at: since?.at }];
  });
  return withinLimits(catalog, present, reports);
}

function markOf({ selection, made, undone }: PlanInput, change: Schemas['Change']): Mark {
  const { item, revision } = change;
  if (made.has(item, revision)) return 'by this undo';
  if (isSelected(selection, change)) return 'selected';
  return undone.has(item, revision) ? 'by an earlier undo' : 'by somebody else';
}

/** Whether the last write of an item is by a user of the selection, or by an undo. */
const isKnownWrite = ({ selection, made, undone }: PlanInput, { id, revision, updated_by }: Item): boolean =>
  selection.users.includes(updated_by) || made.has(id, revision) || undone.has(id, revision);
