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
