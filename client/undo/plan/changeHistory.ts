import { customKey, customName } from '../../../lib/item/customName.ts';
import { fieldNames, fields, identifierNames } from '../../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../../lib/item/json.ts';
import type { Item, Schemas } from '../../http/catalogClient.ts';

/** Whose change it is. Changes that were not recorded are `missing`: values show that there were some. */
export type Mark = 'by this undo' | 'selected' | 'by an earlier undo' | 'by somebody else' | 'missing';

/** One or more changes of an item, with what they made of each field. */
export interface MarkedChange {
  readonly mark: Mark;
  readonly kind?: string | undefined;
  readonly number?: number | undefined;
  readonly by?: string | undefined;
  readonly at?: string | undefined;
  readonly fields: Map<string, KeptValues>;
}

/** The values of a field before and after a change, unless they were too large to be kept. */
interface KeptValues {
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}

/** A quantity and its unit are one value: neither means anything without the other. */
export const quantityNames: readonly string[] = ['qty', 'unit'];

/** The API sorts the keys of objects. */
export const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export const isKey = (field: string): boolean => customKey(field) !== undefined;

/** Whether an undo takes it back. What the undo has made itself counts as selected: it takes away nothing older. */
export const isOwn = ({ mark }: MarkedChange): boolean => mark === 'selected' || mark === 'by this undo';

const isByOther = (change: MarkedChange): boolean => !isOwn(change);

/** The last change by anybody else. */
const lastOther = (changes: readonly MarkedChange[]): MarkedChange | undefined => changes.findLast(isByOther);

/** How a changed field is named: `value`, `metadata.color`, or `metadata` for all keys. */
const nameOf = ({ field, path }: Schemas['FieldChange']): string =>
  path === undefined ? field : customName(path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * The fields whose changes interrupt a run of a field: itself; both parts of a quantity; of a key of metadata also
 * `metadata`, by which a change that is too large to be kept stands for all keys.
 */
function partsOf(field: string): readonly string[] {
  if (quantityNames.includes(field)) return quantityNames;
  return isKey(field) ? [field, 'metadata'] : [field];
}

/**
 * Finds the last run of selected changes of a field that no other change of it interrupts. The field goes back to the
 * value before it: if X makes a into b, Y makes b into c, and X makes c into d, the undo of X gives c, never a.
 * @param history at least one of its changes is selected, and changed the field
 * @returns the run, whether it begins with the history, and the last change of the field after it by anybody else
 */
function runOf(history: readonly MarkedChange[], field: string) {
  const parts = partsOf(field);
  const changes = history.filter(({ fields }) => parts.some((part) => fields.has(part)));
  const end = changes.findLastIndex((change) => isOwn(change) && change.fields.has(field)) + 1;
  const begin = changes.slice(0, end).findLastIndex(isByOther) + 1;
  return { run: changes.slice(begin, end), isFirst: begin === 0, since: lastOther(changes.slice(end)) };
}

/** What an item gets when its creation is undone. It keeps all else that the creation gave it. */
const uncreated: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['active', false],
  ...identifierNames.map((name) => [name, null] as const),
]);

/**
 * How a field goes back: to the value before the {@link runOf} selected changes, unless somebody else has changed it since.
 * One that the selection's creation of the item gave goes back with the item, unless somebody else has written that.
 * @returns its run, what it goes back to (undefined if that was not kept), and the change since on account of which it
 * stays; undefined for what the creation gave, and the item keeps
 */
export function wayBack(history: readonly MarkedChange[], field: string) {
  const { run, isFirst, since } = runOf(history, field);
  const before = run.find(({ fields }) => fields.has(field))?.fields.get(field)?.from;
  const isCreated = isFirst && history.find(isOwn)?.kind === 'created';
  if (!isCreated) return { isCreated, run, before, since };
  const taken = takenTooEarly(history, field);
  if (taken !== undefined) return { isCreated: false, run, before: taken.fields.get(field)?.from, since };
  if (!uncreated.has(field)) return undefined;
  return { isCreated, run, before: uncreated.get(field), since: lastOther(history) };
}

export type WayBack = NonNullable<ReturnType<typeof wayBack>>;

/** This undo's change of a field that it made before it knew that somebody else had written the item. */
function takenTooEarly(history: readonly MarkedChange[], field: string): MarkedChange | undefined {
  const place = history.findIndex(({ mark, fields }) => mark === 'by this undo' && fields.has(field));
  return lastOther(history.slice(0, place + 1)) && history[place];
}

/**
 * Marks an item's changes, in their order.
 * @param item as it is now, unless it was removed. If its values are none that the changes made, the last are missing
 * @param isKnown whether the last write of the item is by a user of the selection, or by an undo
 */
export function historyOf(
  changes: readonly Schemas['Change'][],
  markOf: (change: Schemas['Change']) => Mark,
  item: Item | undefined,
  isKnown: boolean,
): readonly MarkedChange[] {
  // One that was recorded late has a higher number than later ones.
  const inOrder = changes.toSorted((a, b) => a.revision - b.revision || a.number - b.number);
  const marked = inOrder.map((change): MarkedChange => {
    const { kind, number, updated_by: by, updated_at: at } = change;
    const fields = new Map(change.fields.map((field) => [nameOf(field), field as KeptValues]));
    return { mark: markOf(change), kind, number, by, at, fields };
  });
  const left = withoutTakenBack(marked);
  const values = new KnownValues(left[0]?.kind === 'created');
  const history: MarkedChange[] = [];
  for (const change of left) {
    const fields = values.missing([...change.fields].map(([name, { from }]) => [name, from]));
    if (fields.size > 0) history.push({ mark: 'missing', fields });
    history.push(change);
    values.apply(change);
  }
  if (item === undefined) return history;
  const present = valuesOf(item);
  const names = new Set([...values.names, ...[...present.keys()].filter(isKey)]);
  const fields = values.missing([...names].map((name) => [name, present.get(name) ?? null]));
  if (fields.size > 0 || !isKnown) history.push({ mark: 'missing', by: item.updated_by, at: item.updated_at, fields });
  return history;
}

/** The item's values by field, and by key of its metadata. */
export const valuesOf = (item: Item | undefined): ReadonlyMap<string, Json> =>
  new Map([
    ...Object.entries({ ...item } as JsonObject),
    ...Object.entries((item?.metadata as JsonObject) ?? {}).map(([key, value]) => [customName(key), value] as const),
  ]);

/**
 * Leaves out what an earlier undo has taken back: of each field its change, and those since the change that had given the
 * value which it put back. So two selections can be undone one after the other, the newest first.
 */
function withoutTakenBack(changes: readonly MarkedChange[]): readonly MarkedChange[] {
  for (const [end, { mark, fields }] of changes.entries()) {
    if (mark !== 'by an earlier undo') continue;
    for (const [name, { to }] of fields) {
      const begin = to === undefined ? -1 : placeSince(changes.slice(0, end), name, to);
      if (begin >= 0) for (const taken of changes.slice(begin, end + 1)) taken.fields.delete(name);
    }
  }
  return changes.filter(({ fields, kind }) => fields.size > 0 || kind === 'removed');
}

/** The place of the first change of a field since it got a value, or else of the first that began with it; or -1. */
function placeSince(changes: readonly MarkedChange[], name: string, value: Json): number {
  const given = changes.findLastIndex(({ fields }) => isSame(fields.get(name)?.to, value));
  if (given < 0) return changes.findIndex(({ fields }) => isSame(fields.get(name)?.from, value));
  const next = changes.findIndex(({ fields }, place) => place > given && fields.has(name));
  return next < 0 ? changes.length : next;
}

/** What an item has none of unless a write gives it one. */
const optional = fieldNames.filter((name) => fields[name].kind === 'text' && 'nullable' in fields[name]);

/** An item's values after each of its changes, as far as the changes tell them. */
class KnownValues {
  readonly #values: Map<string, Json | undefined>;
  readonly #isWhole: boolean;

  /** @param isWhole whether the changes begin with the creation of the item */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
    this.#values = new Map(isWhole ? optional.map((name) => [name, null]) : []);
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  apply({ fields }: MarkedChange): void {
    if (fields.has('metadata')) for (const name of this.names.filter(isKey)) this.#values.set(name, undefined);
    for (const [name, { to }] of fields) this.#values.set(name, to);
  }

  /** What changes that are missing have made of fields, if they have these values now. */
  missing(seen: readonly (readonly [name: string, value: Json | undefined])[]): MarkedChange['fields'] {
    const fields = seen.map(([name, to]) => [name, { from: this.#valueOf(name), to }] as const);
    return new Map(fields.filter(([, { from, to }]) => from !== undefined && to !== undefined && !isSame(from, to)));
  }

  #valueOf(name: string): Json | undefined {
    const isNew = isKey(name) && !this.#values.has(name) && !this.#values.has('metadata');
    return this.#isWhole && isNew ? null : this.#values.get(name);
  }
}
