import type { EpochMs } from '../item/epoch.ts';
import type { SmokeCheck } from './checks.ts';
import { type SmokeApi, SmokeFailure } from './smokeApi.ts';

export interface CheckResult {
  readonly name: string;
  /** A sentence; undefined if the check passed. */
  readonly failure: string | undefined;
  /** In milliseconds. */
  readonly duration: number;
}

interface RunOptions {
  readonly now: () => EpochMs;
  /** Maximum number of attempts per check. */
  readonly attempts?: number;
  /** Called before the next attempt. */
  readonly pause?: () => Promise<unknown>;
}

/** Runs the checks in order. A failed check does not stop the ones after it. */
export async function runChecks(
  api: SmokeApi,
  checks: readonly SmokeCheck[],
  { now, attempts = 1, pause = async () => undefined }: RunOptions,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    const started = now();
    let failure = await failureOf(name, run(api));
    for (let attempt = 1; attempt < attempts && failure !== undefined; attempt += 1) {
      await pause();
      failure = await failureOf(name, run(api));
    }
    results.push({ name, failure, duration: now() - started });
  }
  return results;
}

const failureOf = (name: string, running: Promise<void>): Promise<string | undefined> =>
  running.then(
    () => undefined,
    (error) => {
      if (!(error instanceof SmokeFailure)) throw error;
      return `${name} ${error.message}.`;
    },
  );
