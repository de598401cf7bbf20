/** The number of measurements of each figure, which alternate between the two that are compared. */
export const runs = 9;

/** The value below which this share of the numbers lies. */
function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** @returns for each run, how many times more than the other it took */
export const ratios = (numbers: readonly number[], others: readonly number[]): number[] =>
  numbers.map((number, run) => number / (others[run] ?? Number.NaN));

/** The median with both quartiles, as text. */
export const spread = (numbers: readonly number[]): string => {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(numbers, part).toFixed(2));
  return `${middle} (${low}–${high})`;
};

/** Rotates the order from round to round, so that none always follows the same other. */
export const rotated = <Each>(all: readonly Each[], round: number): Each[] => {
  const from = round % Math.max(1, all.length);
  return [...all.slice(from), ...all.slice(0, from)];
};
