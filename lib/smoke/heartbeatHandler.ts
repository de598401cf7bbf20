import { anonymousChecks } from './checks.ts';
import { type CheckResult, runChecks } from './runChecks.ts';
import { SmokeApi } from './smokeApi.ts';

/** What the heartbeat works with. */
export interface HeartbeatDependencies {
  /** The API's address, as callers know it. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly observe: (results: readonly CheckResult[]) => void;
}

/** Asks the API what can be asked without a token, from outside, as callers do. */
export const heartbeatHandler =
  ({ url, now, observe }: HeartbeatDependencies) =>
  async (): Promise<void> =>
    observe(await runChecks(new SmokeApi(url), anonymousChecks, { now }));
