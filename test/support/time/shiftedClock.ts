import { onTestFinished } from 'vitest';

const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;

/**
 * Lets this process's clock be ahead until the end of the test. Load it before any module takes `Date.now` for its own:
 * `const { setAhead } = await vi.hoisted(() => import('./shiftedClock.ts'))`.
 * What is cached meanwhile, such as accounts and policies, stays valid for that much longer in later tests of the file.
 * @param milliseconds how far
 */
export function setAhead(milliseconds: number): void {
  ahead = milliseconds;
  onTestFinished(() => {
    ahead = 0;
  });
}
