import type { SmokeCheck } from './checks.ts';
import { type Api, SmokeFailure } from './smokeApi.ts';

export interface CheckResult {
  readonly name: string;
  /** A sentence; undefined if the check passed. */
  readonly failure: string | undefined;
  /** In milliseconds. */
  readonly duration: number;
}

/**
 * Runs the checks in order, up to a failure from which all others would follow.
 * @param options the number of attempts of each check, and the time between them
 */
export async function runChecks(
  api: Api,
  checks: readonly SmokeCheck[],
  { attempts = 1, pause = async (): Promise<unknown> => undefined } = {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, isRequired = false, run } of checks) {
    const started = Date.now();
    let failure = await failureOf(run(api));
    for (let attempt = 1; attempt < attempts && failure !== undefined; attempt += 1) {
      await pause();
      failure = await failureOf(run(api));
    }
    results.push({ name, failure: failure && `${name} ${failure.message}.`, duration: Date.now() - started });
    if (failure !== undefined && (isRequired || failure.isFinal)) break;
  }
  return results;
}

const failureOf = (running: Promise<void>): Promise<SmokeFailure | undefined> =>
  running.then(
    () => undefined,
    (error) => {
      if (!(error instanceof SmokeFailure)) throw error;
      return error;
    },
  );
