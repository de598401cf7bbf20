import * as fc from 'fast-check';
import { afterEach, vi } from 'vitest';

// A run of the tests can be repeated: what is random in it comes from a fixed seed.
fc.configureGlobal({ seed: 1 });

// No test finds the clock or an environment variable that another one has replaced.
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
