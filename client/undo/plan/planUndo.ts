import { customName } from '../../../lib/item/customName.ts';
import { roundHalfUp } from '../../../lib/item/decimal.ts';
import { identifierNames } from '../../../lib/item/fields.ts';
import type { Json } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { groupBy } from '../../../lib/item/lists.ts';
import { isKey, isOther, isQuantity, isSame, lastRun, nameOf, partsOf, type Write } from './lastRun.ts';
import { isBack, planUpdates } from './planUpdates.ts';
import type { FieldReport, UndoChange, UndoItem, UndoLook, UndoPlan, UndoSelection } from './undoPlan.ts';
import { withoutUndone, writeKey } from './withoutUndone.ts';

/**
 * Plans how to undo a user's changes by updates. Each field of each item, and each key of its metadata, goes back to the
 * value before the {@link lastRun} of selected changes, if the item still has the value that this gave it. So nobody
 * else's value is ever changed, an undo can be undone in the same way, and done twice it does nothing. An item that the
 * selection created becomes inactive and gives up its identifiers, unless others have written it since. Every other
 * field of the selection is reported.
 *
 * After the last step, or a row that was refused, look and plan again. The undo is done when there are no rows.
 */
export function planUndo(look: UndoLook): UndoPlan {
  const { selection, made, undone } = look;
  const written = new Set(made.map(({ id, revision }) => writeKey(id, revision + 1)));
  const marked = look.changes.map((change) => {
    const isByUndo = written.has(writeKey(change.item, change.revision));
    return { ...change, isByUndo, isSelected: isByUndo || isSelected(selection, change) };
  });
  const histories = groupBy(marked, ({ item }) => item);
  const byUndos = new Set([...written, ...undone]);
  const reports = [...histories].flatMap(
    ([id, changes]) => new ItemReport(look, id, historyOf(changes, undone), byUndos).fields,
  );
  return planUpdates(look, reports);
}

/** Whether a change is one of those to undo. `updated_at` is to the second. */
export const isSelected = ({ users, from, to, kinds, items, revisions }: UndoSelection, change: UndoChange): boolean =>
  Date.parse(change.updated_at) > +from - 1_000 &&
  Date.parse(change.updated_at) < +to &&
  users.includes(change.updated_by) &&
  isAmong(kinds, change.kind) &&
  isAmong(items, change.item) &&
  (revisions?.get(change.item)?.has(change.revision) ?? true);

/**
 * An item's changes in their order, and the values that they made last: undefined if one was not kept. What the undo has
 * made itself counts as selected, so that it takes away nothing that was written before and recorded after it.
 */
function historyOf(
  changes: readonly (UndoChange & Pick<Write, 'isSelected' | 'isByUndo'>)[],
  undone: UndoLook['undone'],
) {
  // One that was recorded late has a higher number than later ones.
  const inOrder = changes.toSorted((a, b) => a.revision - b.revision || a.number - b.number);
  const sorted = withoutUndone(inOrder, undone);
  const last = new Map<string, Json | undefined>();
  const isWhole = sorted[0]?.kind === 'created';
  if (isWhole) for (const name of optional) last.set(name, null);
  const lastOf = (name: string) =>
    isWhole && isKey(name) && !last.has(name) && !last.has('metadata') ? null : last.get(name);
  const writes = sorted.map((change): Write => {
    const fields = new Map(change.fields.map((entry) => [nameOf(entry), entry]));
    const isGap = (name: string, from: Json | undefined, before = lastOf(name)) =>
      from !== undefined && before !== undefined && !isSame(from, before);
    const gaps = new Set([...fields].flatMap(([name, { from }]) => (isGap(name, from) ? [name] : [])));
    // One that cannot be read stands for all keys of metadata.
    if (fields.has('metadata')) for (const name of last.keys()) if (isKey(name)) last.set(name, undefined);
    for (const [name, { to }] of fields) last.set(name, to);
    return { ...change, fields, gaps };
  });
  return { writes, names: [...last.keys()], lastOf };
}

const isAmong = <One>(all: readonly One[] | undefined, entry: One): boolean => all?.includes(entry) ?? true;

type Fields = ReadonlyMap<string, Json>;

/** What an item has none of unless a write gives it one. */
const optional = ['description', 'tag', ...identifierNames];

/** What an item gets when its creation is undone. */
const uncreated: Fields = new Map<string, Json>([
  ['active', false],
  ...identifierNames.map((entry) => [entry, null] as const),
]);

/** Whether somebody else has written the item. */
const isTouching = (write: Write): boolean => isOther(write) || write.gaps.size > 0;

/** Says of each field of an item that the selection changed whether it can go back. */
class ItemReport {
  readonly #look: UndoLook;
  readonly #id: number;
  readonly #history: ReturnType<typeof historyOf>;
  readonly #item: UndoItem | undefined;
  /** The item's values by field, and by key of its metadata. */
  readonly #present: Fields;
  readonly #selected: readonly Write[];
  /** Whether the selection created the item, and nobody else has written it since. */
  readonly #isUntouched: boolean;

  /** @param written the updates of this undo and of earlier ones, as `writeKey` has them */
  constructor(look: UndoLook, id: number, history: ReturnType<typeof historyOf>, written: ReadonlySet<string>) {
    this.#look = look;
    this.#id = id;
    this.#history = history;
    const item = look.items.get(id);
    this.#item = item;
    const keys = Object.entries(item?.metadata ?? {}).map(([key, value]) => [customName(key), value] as const);
    this.#present = new Map([...Object.entries<Json>({ ...item }), ...keys]);
    this.#selected = history.writes.filter((write) => !isOther(write));
    const { users } = look.selection;
    this.#isUntouched =
      this.#isCreation &&
      !history.writes.some(isTouching) &&
      (item === undefined || users.includes(item.updated_by) || written.has(writeKey(id, item.revision))) &&
      ![...history.names, ...keys.map(([name]) => name)].some(this.#isMoved);
  }

  /** What becomes of its fields, apart from identifiers that others have. */
  get fields(): FieldReport[] {
    const { selection, catalog } = this.#look;
    const isAsked = (field: string): boolean =>
      [field, field.split('.')[0]].some((name) => isAmong(selection.fields, name));
    const changed = [...new Set(this.#selected.flatMap(({ fields }) => [...fields.keys()]))];
    // Of what the creation gave it, only this is taken away.
    const isLeft = ({ isCreated, field }: FieldReport) => !isCreated || uncreated.has(field);
    return withinLimits(catalog, this.#present, changed.filter(isAsked).map(this.#report).filter(isLeft));
  }

  get #isCreation(): boolean {
    return this.#selected[0]?.kind === 'created';
  }

  #nowOf(name: string): Json {
    return this.#present.get(name) ?? null;
  }

  /** Whether somebody changed it so shortly before the look that no change says so. */
  readonly #isMoved = (name: string): boolean => {
    const to = this.#history.lastOf(name);
    return to !== undefined && !isSame(to, this.#nowOf(name));
  };

  readonly #report = (field: string): FieldReport => {
    const { writes } = this.#history;
    const { run, since, isInterrupted } = lastRun(writes, field);
    const values = run.flatMap(({ fields }) => fields.get(field) ?? []);
    const isFirst = this.#isCreation && !isInterrupted;
    const ownAt = writes.findIndex(({ isByUndo, fields }) => isByUndo && fields.has(field));
    /** Whether the undo has taken it away before it knew that others had written the item. */
    const isTaken = isFirst && writes.slice(0, ownAt + 1).some(isTouching);
    const isCreated = isFirst && !isTaken;
    const before = isCreated ? uncreated.get(field) : (isTaken ? writes[ownAt]?.fields.get(field) : values[0])?.from;
    const [given, now] = [values.at(-1)?.to, this.#nowOf(field)];
    const isLater = isCreated ? !this.#isUntouched : partsOf(field).some(this.#isMoved);
    const other = (isCreated ? writes.findLast(isOther) : since) ?? (isLater ? this.#item : undefined);
    const result = this.#resultOf({ isCreated, before, given, now }, other !== undefined);
    const by = other && { by: other.updated_by, at: other.updated_at };
    return { item: this.#id, field, isCreated, result, number: run[0]?.number ?? 0, before, given, now, ...by };
  };

  #resultOf(
    { isCreated, before, given, now }: Pick<FieldReport, 'isCreated' | 'before' | 'given' | 'now'>,
    isByOther: boolean,
  ): FieldReport['result'] {
    if (this.#item === undefined) return 'item removed';
    if (isSame(before, now)) return 'right already';
    if (isByOther) return isCreated ? 'created, and written since' : 'changed since';
    if (before === undefined || (given === undefined && !isCreated)) return 'too large to be kept';
    return this.#look.rejected.has(this.#id) ? 'refused' : 'put back';
  }
}

/** Reports what cannot go back because of what the account and the item have now. */
function withinLimits({ categories, units }: UndoLook['catalog'], present: Fields, reports: readonly FieldReport[]) {
  const back = new Map(reports.filter(isBack).map((entry) => [entry.field, entry]));
  const isOpen = (category: unknown) => categories.some(({ id, archived }) => id === category && !archived);
  /** A quantity goes back with its unit, exactly as it was, or neither of them does. */
  const quantityResult = (): FieldReport['result'] => {
    const isLost = ({ field, result }: FieldReport) => isQuantity(field) && result === 'too large to be kept';
    if (reports.some(isLost)) return 'too large to be kept';
    const [qty, unit] = [back.get('qty')?.before, back.get('unit')?.before ?? present.get('unit')];
    const decimals = units.find((entry) => entry.unit === unit)?.decimals;
    if (decimals === undefined) return 'unit unknown';
    const isExact = qty === undefined || roundHalfUp(Number(qty), decimals, limits.qty.max) === qty;
    return isExact ? 'put back' : 'would be rounded';
  };
  const keys = new Set([...present.keys(), ...back.keys()].filter(isKey));
  for (const [field, { before }] of back) if (before === null) keys.delete(field);
  const resultOf = ({ field, before, now, result }: FieldReport): FieldReport['result'] => {
    if (!back.has(field)) return result;
    if (field === 'category' && before !== null && !isOpen(before)) return 'category archived';
    if (isQuantity(field)) return quantityResult();
    return keys.has(field) && now === null && keys.size > limits.metadata.keysStored ? 'too many keys' : result;
  };
  return reports.map((entry) => ({ ...entry, result: resultOf(entry) }));
}
