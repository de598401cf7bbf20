import { vi } from 'vitest';

/** How long the client waits for an answer, that of an operator at least this long. */
const [patience, operatorPatience] = [30_000, 3_600_000];

/**
 * From now on, the client waits for nothing but answers.
 * @param onWait is called instead
 * @returns the waits that were asked for, in milliseconds
 */
export function hurry(onWait = () => {}): number[] {
  const { setTimeout: start } = globalThis;
  const waits: number[] = [];
  vi.stubGlobal('setTimeout', (...args: Parameters<typeof start>) => {
    const [end, milliseconds = 0] = args;
    // `fetch` has timers, too.
    const isOfClient = /client\/(http\/wait|items\/itemList)\.ts/.test(new Error().stack ?? '');
    if (!isOfClient || milliseconds === patience || milliseconds >= operatorPatience) return start(...args);
    waits.push(milliseconds);
    onWait();
    return start(end, 0);
  });
  return waits;
}
