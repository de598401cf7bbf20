/** For each item that gets other identifiers, the items that have these now. */
export type IdentifierNeeds = ReadonlyMap<number, readonly number[]>;

/**
 * Orders items that get other identifiers, so that each comes after those that have these now and get others too. A column
 * of codes that was shifted by a row is a chain, which goes back from its free end; one that was sorted has rings, in which
 * no item can be the first. Without recursion, because a chain can have thousands of items.
 * @returns groups of items. Those that need each other, in a ring, are one group; all others are alone: the strongly
 * connected components of a graph, in the order in which Tarjan's algorithm finds them
 */
export function identifierOrder(needs: IdentifierNeeds): number[][] {
  const groups: number[][] = [];
  /** The items that have been visited, with the lowest number of those that they lead back to; infinite in a group. */
  const lowest = new Map<number, number>();
  /** Visited items that are in no group yet. */
  const open: number[] = [];
  /** From the first item to the one that is visited, each with what it needs that has not been looked at. */
  const path: { readonly id: number; readonly number: number; readonly needed: Iterator<number> }[] = [];
  const visit = (id: number) => {
    path.push({
      id,
      number: lowest.size,
      needed: (needs.get(id) ?? []).filter((holder) => needs.has(holder)).values(),
    });
    lowest.set(id, lowest.size);
    open.push(id);
  };
  const lower = (id: number, other: number) =>
    lowest.set(id, Math.min(lowest.get(id) ?? 0, lowest.get(other) ?? Number.POSITIVE_INFINITY));
  for (const first of needs.keys()) {
    if (!lowest.has(first)) visit(first);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { id, number, needed } = last;
      const { value: next, done } = needed.next();
      if (done !== true && lowest.has(next)) lower(id, next);
      else if (done !== true) visit(next);
      else {
        path.pop();
        if (lowest.get(id) === number) {
          groups.push(open.splice(open.lastIndexOf(id)));
          for (const member of groups.at(-1) ?? []) lowest.set(member, Number.POSITIVE_INFINITY);
        }
        const before = path.at(-1);
        if (before !== undefined) lower(before.id, id);
      }
    }
  }
  return groups;
}
