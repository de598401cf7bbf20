import type { EpochMs } from '../item/epoch.ts';
import { anonymousChecks } from './checks.ts';
import { type CheckResult, runChecks } from './runChecks.ts';
import { SmokeApi } from './smokeApi.ts';

/** Dependencies of the heartbeat. */
export interface HeartbeatDependencies {
  /** The API's public address. */
  readonly url: string;
  readonly now: () => EpochMs;
  readonly observe: (results: readonly CheckResult[]) => void;
}

/**
 * How long the heartbeat waits for each response, in milliseconds. All checks together must fit into its function's
 * timeout, or an API that hangs is not reported as failing.
 */
export const heartbeatTimeout = 8_000;

/** Runs the checks that need no token against the API's public address, as callers would. */
export const heartbeatHandler =
  ({ url, now, observe }: HeartbeatDependencies) =>
  async (): Promise<void> =>
    observe(await runChecks(new SmokeApi(url, heartbeatTimeout), anonymousChecks, { now }));
