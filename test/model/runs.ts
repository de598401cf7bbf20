import * as fc from 'fast-check';

/** For a test of random runs, in milliseconds. */
export const testTimeout = 600_000;

/**
 * How many random runs a test makes. They end before the test's time does, also while a failure is shrunk, so that each
 * failure is reported with its seed and paths. It is repeated by `seed` and `path` beside `numRuns`, and `replayPath` in the
 * options of `fc.commands`.
 */
export const runs = {
  numRuns: 25,
  plugins: [fc.interruptAfterTimeLimit(testTimeout - 30_000, { failOnInterrupt: true })],
};
