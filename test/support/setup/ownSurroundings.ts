import { afterAll, vi } from 'vitest';

// Test files share a process, so that libraries are loaded once. The project's modules are each file's own, and so is
// what a file replaces in the process.
vi.resetModules();
const { env } = process;
const { now } = Date;
const { stackTraceLimit } = Error;
process.env = { ...env };

afterAll(() => {
  vi.unstubAllGlobals();
  process.env = env;
  Date.now = now;
  Error.stackTraceLimit = stackTraceLimit;
});
