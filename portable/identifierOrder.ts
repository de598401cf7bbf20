/** For each item that gets other identifiers, the items that have these now. */
export type IdentifierNeeds = ReadonlyMap<number, readonly number[]>;

/**
 * Orders items that get other identifiers, so that each comes after those that have these now and get others too. These
 * are the strongly connected components of a graph, in the order in which Tarjan's algorithm finds them.
 * @returns groups of items. Those that need each other, in a ring, are one group; all others are alone
 */
export function identifierOrder(needs: IdentifierNeeds): number[][] {
  const groups: number[][] = [];
  /** The items that have been visited, numbered, and the lowest number of those that they lead back to. */
  const numbers = new Map<number, number>();
  const lowest = new Map<number, number>();
  /** Visited items that are in no group yet, and those that are. */
  const open: number[] = [];
  const grouped = new Set<number>();
  /** From the first item to the one that is visited, each with what it needs that has not been looked at. */
  const path: { readonly id: number; readonly needed: Iterator<number> }[] = [];
  const visit = (id: number) => {
    numbers.set(id, numbers.size);
    lowest.set(id, numbers.size - 1);
    open.push(id);
    path.push({ id, needed: (needs.get(id) ?? []).filter((one) => needs.has(one)).values() });
  };
  const lower = (id: number, number = 0) => lowest.set(id, Math.min(lowest.get(id) ?? 0, number));
  for (const first of needs.keys()) {
    if (!numbers.has(first)) visit(first);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { id } = last;
      const { value: next, done } = last.needed.next();
      if (done !== true) {
        if (!numbers.has(next)) visit(next);
        else if (!grouped.has(next)) lower(id, numbers.get(next));
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before !== undefined) lower(before.id, lowest.get(id));
      if (lowest.get(id) !== numbers.get(id)) continue;
      const group = open.splice(open.lastIndexOf(id));
      for (const one of group) grouped.add(one);
      groups.push(group);
    }
  }
  return groups;
}
