import type { Work } from './benchService.ts';

/** How many requests a turn has. */
export const turn = 320;

/** What some work took. */
export interface Cost {
  /** In milliseconds. */
  readonly time: number;
  /** Of this process, in milliseconds of CPU; the engine is another, and its one writer is what many clients wait for. */
  readonly cpu: number;
}

/** Does all the work, so many pieces at a time. */
export async function measured(clients: number, work: IterableIterator<Work>): Promise<Cost> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const piece of work) await piece();
    }),
  );
  const { user, system } = process.cpuUsage(used);
  return { time: performance.now() - started, cpu: (user + system) / 1_000 };
}

/** The middle one of some numbers. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
