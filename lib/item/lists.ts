/** `Map.groupBy`, which Node 20 and some browsers of our callers do not have. */
export function groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value)) ?? [];
    groups.set(keyOf(value), group);
    group.push(value);
  }
  return groups;
}

/** Yields a list in parts of this size. The last one may be shorter. */
export function* parts<One>(all: readonly One[], size: number): Generator<readonly One[], void> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
