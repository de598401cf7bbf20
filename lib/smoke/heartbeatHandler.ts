import { anonymousChecks, signedInChecks } from './checks.ts';
import { type CheckResult, runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';

/** Dependencies of the heartbeat. */
export interface HeartbeatDependencies {
  /** The API's public address. */
  readonly url: string;
  /** Returns the heartbeat's token; undefined if it has none. */
  readonly token: () => Promise<string | undefined>;
  readonly observe: (results: readonly CheckResult[]) => void;
}

/**
 * How long the heartbeat waits for each response, in milliseconds. The first request without one ends it, so that an
 * API that hangs is reported within the function's timeout.
 */
export const heartbeatTimeout = 8_000;

/** Runs the checks that leave nothing behind but their own item against the API's public address, as callers would. */
export const heartbeatHandler =
  ({ url, token, observe }: HeartbeatDependencies) =>
  async (): Promise<void> => {
    const given = await token();
    const checks = [...anonymousChecks, ...(given === undefined ? [] : signedInChecks(given))];
    observe(await runChecks(publicApi(url, heartbeatTimeout), checks));
  };
