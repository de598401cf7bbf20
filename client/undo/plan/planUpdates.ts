import { customKey } from '../../../lib/item/customName.ts';
import { identifierNames } from '../../../lib/item/fields.ts';
import type { Json } from '../../../lib/item/json.ts';
import { limits } from '../../../lib/item/limits.ts';
import { groupBy } from '../../../lib/item/lists.ts';
import { isKey } from './changeHistory.ts';
import { type FieldReport, isBack, type PlanInput, type UndoPlan, type UndoRow } from './undoPlan.ts';

type Holders = ReadonlyMap<string, number>;

/** A key for an identifier of one of the two kinds. */
export const identifierKey = (field: string, identifier: Json | undefined): string =>
  JSON.stringify([field, identifier]);

/** The items by the keys of their identifiers. */
export const holdersIn = (items: PlanInput['items']): Holders =>
  new Map(
    [...items.values()].flatMap((item) =>
      identifierNames.map((name) => [identifierKey(name, item[name]), item.id] as const),
    ),
  );

const isMove = (entry: FieldReport): boolean => isBack(entry) && identifierNames.some((name) => name === entry.field);

/** Whether an item gets an identifier back. */
const isTake = (entry: FieldReport): boolean => isMove(entry) && entry.before !== null;

const takenKey = ({ field, before }: FieldReport): string => identifierKey(field, before);
const leftKey = ({ field, now }: FieldReport): string => identifierKey(field, now);

/**
 * Turns what is put back into rows, in an order in which no item takes an identifier that another still has: chains begin
 * at their free end. Items that have each other's identifiers keep them.
 */
export function planUpdates(items: PlanInput['items'], found: readonly FieldReport[]): UndoPlan {
  const holders = holdersIn(items);
  const report = withHolders(holders, found);
  const back = groupBy(report.filter(isBack), ({ item }) => item);
  const steps = inOrder(back, holders);
  const ordered = new Set(steps.flat());
  const isInRing = (entry: FieldReport) => {
    const holder = holders.get(takenKey(entry)) ?? 0;
    return isTake(entry) && !ordered.has(entry.item) && back.has(holder) && !ordered.has(holder);
  };
  const kept = report.map((entry) => (isInRing(entry) ? taken(entry, holders.get(takenKey(entry))) : entry));
  if (ordered.size < back.size) return planUpdates(items, kept);
  const rowOf = (id: number) => ({ id, revision: items.get(id)?.revision ?? 0, ...valuesIn(back.get(id) ?? []) });
  return { report, steps: steps.map((step): UndoRow[] => step.map(rowOf)) };
}

/** The items in steps: each of them takes only identifiers that are free after the step before. Rings are left out. */
function inOrder(back: ReadonlyMap<number, readonly FieldReport[]>, holders: Holders): number[][] {
  const waiting = new Map<number, number>();
  const followers = new Map<number, number[]>();
  for (const [id, reports] of back) {
    const known = reports.filter(isTake).map((entry) => holders.get(takenKey(entry)) ?? 0);
    const others = known.filter((holder) => back.has(holder));
    waiting.set(id, others.length);
    for (const holder of others) followers.set(holder, [...(followers.get(holder) ?? []), id]);
  }
  const steps: number[][] = [];
  let free = [...back.keys()].filter((id) => waiting.get(id) === 0);
  while (free.length > 0) {
    steps.push(free);
    const next = free.flatMap((id) => followers.get(id) ?? []);
    for (const id of next) waiting.set(id, (waiting.get(id) ?? 0) - 1);
    free = [...new Set(next)].filter((id) => waiting.get(id) === 0);
  }
  return steps;
}

const taken = (entry: FieldReport, holder: number | undefined): FieldReport => ({
  ...entry,
  result: 'identifier taken',
  holder,
});

/** Reports the identifiers that cannot go back, because another item has them and keeps them, or gets them. */
function withHolders(holders: Holders, reports: readonly FieldReport[]): readonly FieldReport[] {
  const takes = reports.filter(isTake);
  // Two items can have had the same identifier, one after the other. The later one gets it.
  const getting = new Map(takes.toSorted((a, b) => a.number - b.number).map((entry) => [takenKey(entry), entry]));
  const left = new Set(reports.filter(isMove).map(leftKey));
  const isFree = (key: string) => left.has(key) || !holders.has(key);
  const losing = new Set(takes.filter((entry) => getting.get(takenKey(entry)) !== entry || !isFree(takenKey(entry))));
  for (const entry of losing) {
    // It keeps the one that it has, so another that was to get that cannot.
    const next = getting.get(leftKey(entry));
    if (next !== undefined) losing.add(next);
  }
  const holderOf = (key: string) => {
    const winner = getting.get(key);
    return winner === undefined || losing.has(winner) ? holders.get(key) : winner.item;
  };
  return reports.map((entry) => (losing.has(entry) ? taken(entry, holderOf(takenKey(entry))) : entry));
}

/** The members of a row. A request can have only some keys of metadata, so the others wait for the next plan. */
function valuesIn(reports: readonly FieldReport[]) {
  const valued = (some: readonly FieldReport[]) =>
    Object.fromEntries(some.map(({ field, before = null }) => [customKey(field) ?? field, before]));
  // Those that are removed make room for those that are added.
  const keys = reports
    .filter(({ field }) => isKey(field))
    .toSorted((a, b) => Number(a.before !== null) - Number(b.before !== null));
  const values = valued(reports.filter((entry) => !isKey(entry.field)));
  return keys.length === 0 ? values : { ...values, metadata: valued(keys.slice(0, limits.metadata.keysPerRequest)) };
}
