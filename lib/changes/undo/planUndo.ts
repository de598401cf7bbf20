import { roundHalfUp } from '../../item/decimal.ts';
import { identifierNames } from '../../item/fields.ts';
import type { Json } from '../../item/json.ts';
import { limits } from '../../item/limits.ts';
import { groupBy } from '../../item/lists.ts';
import { isOther, isQuantity, lastRun, partsOf, type Write } from './lastRun.ts';
import { isBack, planRows } from './planRows.ts';
import type { FieldReport, UndoChange, UndoLook, UndoPlan, UndoSelection } from './undo.ts';

/**
 * Plans how to undo a user's changes by updates. Each field of each item, and each key of its metadata, goes back to the
 * value before the {@link lastRun} of selected changes, if the item still has the value that this gave it. So nobody
 * else's value is ever changed, an undo can be undone in the same way, and done twice it does nothing. An item that the
 * selection created becomes inactive and gives up its identifiers, unless others have written it since.
 *
 * After the last step, or a row that was refused, look and plan again. The undo is done when there are no rows.
 */
export function planUndo(look: UndoLook): UndoPlan {
  const { selection, catalog, freed } = look;
  /** Whether the undo itself has taken identifiers away by it, for a moment. */
  const isFreeing = ({ item, revision, updated_by }: UndoChange): boolean =>
    updated_by === catalog.user && freed.some((row) => row.id === item && row.revision + 1 === revision);
  const writes = look.changes
    .filter((change) => !isFreeing(change))
    // One that was recorded late has a higher number than later ones.
    .toSorted((a, b) => a.revision - b.revision || a.number - b.number)
    .map((change): Write => {
      const fields = new Map(change.fields.map((one) => [nameOf(one), one]));
      return { ...change, isSelected: isSelected(selection, change), fields };
    });
  const histories = groupBy(writes, ({ item }) => item);
  return planRows(
    look,
    [...histories].flatMap(([id, history]) => reportItem(look, id, history)),
  );
}

/** Whether a change is one of those to undo. */
export const isSelected = (selection: UndoSelection, { number, item, kind, updated_by }: UndoChange): boolean =>
  number >= selection.first &&
  number <= selection.last &&
  selection.users.includes(updated_by) &&
  isAmong(selection.kinds, kind) &&
  isAmong(selection.items, item);

const isAmong = <One>(all: readonly One[] | undefined, one: One): boolean => all?.includes(one) ?? true;

const nameOf = ({ field, path }: UndoChange['fields'][number]): string =>
  path === undefined ? field : `${field}.${path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}`;

type Fields = ReadonlyMap<string, Json>;

/** What an item gets when its creation is undone. */
const uncreated: Fields = new Map<string, Json>([
  ['active', false],
  ...identifierNames.map((one) => [one, null] as const),
]);

/** Says of each field that the selection changed whether it can go back, apart from identifiers that others have. */
function reportItem({ selection, items, freed, catalog }: UndoLook, id: number, history: readonly Write[]) {
  const item = items.get(id);
  const keys = Object.entries(item?.metadata ?? {}).map(([key, value]) => [`metadata.${key}`, value] as const);
  const present: Fields = new Map([...Object.entries<Json>({ ...item }), ...keys]);
  const held = (name: string) =>
    present.get(name) ?? freed.findLast((row) => row.id === id && name in row)?.[name] ?? null;
  const selected = history.filter((write) => !isOther(write));
  const isCreated = selected[0]?.kind === 'created';
  /** Whether somebody changed it so shortly before the look that no change says so. */
  const isMoved = (name: string): boolean => {
    const { to } = history.findLast(({ fields }) => fields.has(name))?.fields.get(name) ?? {};
    return to !== undefined && !isSame(to, held(name));
  };
  const report = (field: string): FieldReport => {
    const { run, since } = isCreated ? { run: selected, since: history.findLast(isOther) } : lastRun(history, field);
    const values = run.flatMap(({ fields }) => fields.get(field) ?? []);
    const before = isCreated ? uncreated.get(field) : values[0]?.from;
    const [given, now] = [values.at(-1)?.to, present.get(field) ?? null];
    const isLater = isCreated ? !selection.users.includes(item?.updated_by ?? '') : partsOf(field).some(isMoved);
    const other = since ?? (isLater ? item : undefined);
    const result = (): FieldReport['result'] => {
      if (item === undefined) return isCreated && selection.isRemoving ? 'right already' : 'item removed';
      if (isSame(before, now) && !(isCreated && selection.isRemoving)) return 'right already';
      if (other !== undefined) return isCreated ? 'created, and written since' : 'changed since';
      return before === undefined || (given === undefined && !isCreated) ? 'too large to be kept' : 'put back';
    };
    const by = other && { by: other.updated_by, at: other.updated_at };
    return { item: id, field, isCreated, result: result(), number: run[0]?.number ?? 0, before, given, now, ...by };
  };
  const isAsked = (field: string): boolean =>
    [field, field.split('.')[0]].some((name) => isAmong(selection.fields, name)) &&
    (!isCreated || uncreated.has(field));
  const changed = [...new Set(selected.flatMap(({ fields }) => [...fields.keys()]))];
  return withinLimits(catalog, present, changed.filter(isAsked).map(report));
}

/** Reports what cannot go back because of what the account and the item have now. */
function withinLimits({ categories, units }: UndoLook['catalog'], present: Fields, reports: readonly FieldReport[]) {
  const back = new Map(reports.filter(isBack).map((one) => [one.field, one]));
  const isOpen = (category: unknown) => categories.some(({ id, archived }) => id === category && !archived);
  /** A quantity goes back with its unit, exactly as it was, or neither of them does. */
  const quantityResult = (): FieldReport['result'] => {
    const isLost = ({ field, result }: FieldReport) => isQuantity(field) && result === 'too large to be kept';
    if (reports.some(isLost)) return 'too large to be kept';
    const [qty, unit] = [back.get('qty')?.before, back.get('unit')?.before ?? present.get('unit')];
    const decimals = units.find((one) => one.unit === unit)?.decimals;
    if (decimals === undefined) return 'unit unknown';
    const isExact = qty === undefined || roundHalfUp(Number(qty), decimals, limits.qty.max) === qty;
    return isExact ? 'put back' : 'would be rounded';
  };
  const keys = new Set([...present.keys(), ...back.keys()].filter((name) => name.startsWith('metadata.')));
  for (const [field, { before }] of back) if (before === null) keys.delete(field);
  const resultOf = ({ field, before, now, result }: FieldReport): FieldReport['result'] => {
    if (!back.has(field)) return result;
    if (field === 'category' && before !== null && !isOpen(before)) return 'category archived';
    if (isQuantity(field)) return quantityResult();
    return keys.has(field) && now === null && keys.size > limits.metadata.keysStored ? 'too many keys' : result;
  };
  return reports.map((one) => ({ ...one, result: resultOf(one) }));
}

/** The API sorts the keys of objects. */
const isSame = (one: Json | undefined, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
