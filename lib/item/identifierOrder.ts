import { groupBy } from './lists.ts';

/** For each item that gets other identifiers, the items that have these now. */
export type IdentifierNeeds = ReadonlyMap<number, readonly number[]>;

/**
 * Orders items that get other identifiers, so that each comes after those that have these now and get others too.
 * @returns groups of items. Those that need each other, in a ring, are one group; all others are alone
 */
export function identifierOrder(needs: IdentifierNeeds): number[][] {
  const groups: number[][] = [];
  const left = new Map(needs);
  const neededBy = (id: number) => (left.get(id) ?? []).filter((needed) => left.has(needed));
  const take = (group: number[]) => {
    for (const id of group) left.delete(id);
    groups.push(group);
  };
  // Chains, from their free ends.
  const pairs = [...needs].flatMap(([id, needed]) => needed.map((holder) => ({ id, holder })));
  const waiting = groupBy(pairs, ({ holder }) => holder);
  const free = [...needs.keys()].filter((id) => neededBy(id).length === 0);
  for (const id of free) {
    take([id]);
    const next = new Set((waiting.get(id) ?? []).map((one) => one.id));
    free.push(...[...next].filter((one) => neededBy(one).length === 0));
  }
  // Rings, and what waits for them: the items that a ring needs are those of the ring.
  const withNeeded = (id: number): number[] => {
    const all = new Set([id]);
    for (const one of all) for (const needed of neededBy(one)) all.add(needed);
    return [...all];
  };
  const sizes = [...left.keys()].map((id) => ({ id, size: withNeeded(id).length }));
  for (const { id } of sizes.sort((a, b) => a.size - b.size)) if (left.has(id)) take(withNeeded(id));
  return groups;
}
