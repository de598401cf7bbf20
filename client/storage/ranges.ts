export type Range = readonly [first: number, last: number];

/** Numbers as ranges of those that follow each other, as a storage keeps them. */
export function rangesOf(numbers: Iterable<number>): Range[] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

export const numbersIn = (ranges: readonly Range[]): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

/** Writes of items as a storage keeps them: the items, by the revisions that they got. */
export type KeptWrites = Readonly<Record<string, readonly Range[]>>;

/** Writes of items, each of which is known by the revision that its item got. */
export class ItemWrites {
  readonly #items = new Map<number, Set<number>>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  add(item: number, revision: number): void {
    this.#items.set(revision, (this.#items.get(revision) ?? new Set()).add(item));
  }

  addKept(kept: KeptWrites = {}): void {
    for (const { item, revision } of writesIn(kept)) this.add(item, revision);
  }

  get kept(): KeptWrites {
    return Object.fromEntries([...this.#items].map(([revision, items]) => [revision, rangesOf(items)]));
  }
}

export const writesIn = (kept: KeptWrites) =>
  Object.entries(kept).flatMap(([revision, ranges]) =>
    numbersIn(ranges).map((item) => ({ item, revision: Number(revision) })),
  );
