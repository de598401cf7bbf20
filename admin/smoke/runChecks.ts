import { type Send, SmokeFailure } from './smokeApi.ts';

export interface SmokeCheck {
  /** Starts the sentence that reports a failure. It is or starts with the function's name, if one is called. */
  readonly name: string;
  /** Whether the checks after this one depend on it. */
  readonly isRequired?: boolean;
  /** @throws SmokeFailure if the API does not respond as expected */
  run(send: Send): Promise<void>;
}

export interface CheckResult {
  readonly name: string;
  /** A sentence; undefined if the check passed. */
  readonly failure: string | undefined;
  /** In milliseconds. */
  readonly duration: number;
}

/** The number of failed checks at the beginning after which the others would only take long to fail. */
const deadAfter = 3;

/**
 * Runs the checks in order, up to a failure from which all others would follow.
 * @param options the number of attempts of each check, and the time between them
 */
export async function runChecks(
  send: Send,
  checks: readonly SmokeCheck[],
  { attempts = 1, pause = async (): Promise<unknown> => undefined } = {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, isRequired = false, run } of checks) {
    const started = Date.now();
    let failure = await failureOf(run(send));
    for (let attempt = 1; attempt < attempts && failure !== undefined; attempt += 1) {
      await pause();
      failure = await failureOf(run(send));
    }
    results.push({ name, failure: failure && `${name} ${failure.message}.`, duration: Date.now() - started });
    const isDead = results.length === deadAfter && results.every((result) => result.failure !== undefined);
    if (isDead || (failure !== undefined && (isRequired || failure.isFinal))) break;
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
