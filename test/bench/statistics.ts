/** The value below which this part of the numbers is. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export const rounded = (number: number, digits = 2): number => Number(number.toFixed(digits));

/** The median with both quartiles, as text. */
export const spread = (numbers: readonly number[], digits = 2): string => {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(numbers, part).toFixed(digits));
  return `${middle} (${low}–${high})`;
};

/** Neither of them always runs on what the same other has left behind. */
export const rotated = <Each>(all: readonly Each[], round: number): Each[] => {
  const from = round % Math.max(1, all.length);
  return [...all.slice(from), ...all.slice(0, from)];
};
