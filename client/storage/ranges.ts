import { groupBy } from '../../lib/item/lists.ts';

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

export const numbersIn = (ranges: readonly Range[] = []): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

/** Writes of items: the items, by the revisions that they got. */
export type KeptWrites = Readonly<Record<string, readonly Range[]>>;

/** Writes of items, each of which is known by the revision that its item got. */
export class ItemWrites {
  readonly #revisions = new Map<number, Set<number>>();

  constructor(kept?: KeptWrites) {
    this.addKept(kept);
  }

  get isEmpty(): boolean {
    return this.#revisions.size === 0;
  }

  /** @param revision undefined if it is not known */
  add(item: number, revision = 0): void {
    const revisions = this.#revisions.get(item) ?? new Set<number>();
    this.#revisions.set(item, revisions.add(revision));
  }

  addKept(kept: KeptWrites = {}): void {
    for (const [revision, ranges] of Object.entries(kept))
      for (const item of numbersIn(ranges)) this.add(item, Number(revision));
  }

  has(item: number, revision: number): boolean {
    return this.#revisions.get(item)?.has(revision) === true;
  }

  /** The revisions of each item. */
  get byItem(): ReadonlyMap<number, ReadonlySet<number>> {
    return this.#revisions;
  }

  get items(): number[] {
    return [...this.#revisions.keys()].sort((a, b) => a - b);
  }

  get kept(): KeptWrites {
    const { 0: _, ...known } = this.all;
    return known;
  }

  /** Also those of which the revision is not known, as of the revision 0. */
  get all(): KeptWrites {
    const writes = [...this.#revisions].flatMap(([item, all]) => [...all].map((revision) => ({ item, revision })));
    const byRevision = groupBy(writes, ({ revision }) => revision);
    return Object.fromEntries(
      [...byRevision].map(([revision, of]) => [revision, rangesOf(of.map(({ item }) => item))]),
    );
  }
}

/** Writes as short texts. */
export type PackedWrites = Readonly<Record<string, string>>;

export const packWrites = (kept: KeptWrites): PackedWrites =>
  Object.fromEntries(Object.entries(kept).map(([revision, ranges]) => [revision, packed(ranges)]));

export const unpackWrites = (text: PackedWrites = {}): KeptWrites =>
  Object.fromEntries(Object.entries(text).map(([revision, ranges]) => [revision, unpacked(ranges)]));

/** Ranges as a short text: each by its distance from the one before, and its length. */
function packed(ranges: readonly Range[]): string {
  let before = 0;
  const texts = ranges.map(([first, last]) => {
    const distance = (first - before).toString(36);
    before = last;
    return last === first ? distance : `${distance}+${(last - first).toString(36)}`;
  });
  return texts.join(' ');
}

function unpacked(text: string): Range[] {
  let before = 0;
  return text.split(' ').map((each): Range => {
    const [distance = '', length = '0'] = each.split('+');
    const first = before + Number.parseInt(distance, 36);
    before = first + Number.parseInt(length, 36);
    return [first, before];
  });
}
