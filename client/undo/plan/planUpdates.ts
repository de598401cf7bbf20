import { customKey } from '../../../lib/item/customName.ts';
import { identifierNames } from '../../../lib/item/fields.ts';
import type { Json } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { groupBy } from '../../../lib/item/lists.ts';
import { isKey } from './lastRun.ts';
import type { FieldReport, UndoLook, UndoPlan, UndoRow } from './undoPlan.ts';

const isIdentifier = (field: string): boolean => identifierNames.some((name) => name === field);

export const isBack = ({ result }: FieldReport): boolean => result === 'put back';

/** A key for an identifier of one of the two kinds. */
export const keyOf = (field: string, identifier: Json | undefined): string => JSON.stringify([field, identifier]);

/** The items by the keys of their identifiers. */
export const holdersIn = (items: UndoLook['items']): ReadonlyMap<string, number> =>
  new Map(
    [...items.values()].flatMap((item) => identifierNames.map((name) => [keyOf(name, item[name]), item.id] as const)),
  );

/** The identifiers that change, and by their keys, those that are put back. */
const moves = (reports: readonly FieldReport[]) =>
  reports.filter((entry) => isBack(entry) && isIdentifier(entry.field));
const takes = (reports: readonly FieldReport[]) =>
  moves(reports).flatMap((entry) =>
    entry.before === null ? [] : [[keyOf(entry.field, entry.before), entry] as const],
  );

/**
 * Turns what is put back into rows, in an order in which no item takes an identifier that another still has: chains begin
 * at their free end. Items that have each other's identifiers keep them.
 */
export function planUpdates({ items }: Pick<UndoLook, 'items'>, found: readonly FieldReport[]): UndoPlan {
  const holders = holdersIn(items);
  const report = withHolders(holders, found);
  const back = groupBy(report.filter(isBack), ({ item }) => item);
  const needs = new Map(
    [...back].map(([id, entries]) => [id, takes(entries).flatMap(([key]) => holders.get(key) ?? [])]),
  );
  const steps: UndoRow[][] = [];
  for (let waiting = [...back.keys()]; waiting.length > 0; ) {
    const isWaiting = new Set(waiting);
    const [blocked, free] = [true, false].map((is) =>
      waiting.filter((id) => (needs.get(id) ?? []).some((holder) => isWaiting.has(holder)) === is),
    ) as [number[], number[]];
    if (free.length === 0) return planUpdates({ items }, report.map(keptIn(isWaiting, holders)));
    const rowOf = (id: number) => ({ id, revision: items.get(id)?.revision ?? 0, ...valuesIn(back.get(id) ?? []) });
    steps.push(free.map(rowOf));
    waiting = blocked;
  }
  return { report, steps };
}

/** The items keep the identifiers for which they wait for each other. */
const keptIn =
  (ids: ReadonlySet<number>, holders: ReadonlyMap<string, number>) =>
  (entry: FieldReport): FieldReport => {
    const holder = holders.get(keyOf(entry.field, entry.before)) ?? 0;
    const isKept = ids.has(entry.item) && takes([entry]).length > 0 && ids.has(holder);
    return isKept ? { ...entry, result: 'identifier taken', holder } : entry;
  };

/** Reports the identifiers that cannot go back, because another item has them and keeps them, or gets them. */
function withHolders(holders: ReadonlyMap<string, number>, reports: readonly FieldReport[]): FieldReport[] {
  // Two items can have had the same identifier, one after the other. The later one gets it.
  const getting = new Map(takes(reports).toSorted(([, a], [, b]) => a.number - b.number));
  const left = new Set(moves(reports).map(({ field, now }) => keyOf(field, now)));
  const isKept = (key: string) => holders.has(key) && !left.has(key);
  const taken = new Set(
    takes(reports).flatMap(([key, entry]) => (getting.get(key) !== entry || isKept(key) ? entry : [])),
  );
  for (const { field, now } of taken) {
    // It keeps the one that it has, so another that was to get that cannot.
    const next = getting.get(keyOf(field, now));
    if (next !== undefined) taken.add(next);
  }
  const holderOf = (entry: FieldReport) => {
    const key = keyOf(entry.field, entry.before);
    const next = getting.get(key);
    return next === undefined || taken.has(next) ? holders.get(key) : next.item;
  };
  return reports.map((entry) =>
    taken.has(entry) ? { ...entry, result: 'identifier taken', holder: holderOf(entry) } : entry,
  );
}

/** The members of a row. A request can have only some keys of metadata, so the others wait for the next plan. */
function valuesIn(reports: readonly FieldReport[]) {
  const valued = (some: readonly FieldReport[]) =>
    Object.fromEntries(some.map(({ field, before = null }) => [customKey(field) ?? field, before]));
  // Those that are removed make room for those that are added.
  const keys = reports
    .filter(({ field }) => isKey(field))
    .toSorted((a, b) => Number(a.before !== null) - Number(b.before !== null));
  const metadata = valued(keys.slice(0, limits.metadata.keysPerRequest));
  return { ...valued(reports.filter((entry) => !isKey(entry.field))), ...(keys.length > 0 && { metadata }) };
}
