import { heartbeatChecks } from './checks.ts';
import type { heartbeatDependencies } from './heartbeatDependencies.ts';
import { type CheckResult, runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';

/** For a response, in milliseconds. The first request without one ends the heartbeat, within the function's timeout. */
export const heartbeatTimeout = 8_000;

const withoutToken: CheckResult = {
  name: 'token',
  failure: 'The heartbeat has no token: npm run admin -- heartbeat gives it one.',
  duration: 0,
};

/** Runs its checks against the API's public address, as callers would, who repeat a request that has failed. */
export const heartbeatHandler =
  ({ url, origin, token, needsToken, observe }: ReturnType<typeof heartbeatDependencies>) =>
  async (): Promise<void> => {
    const given = await token();
    const checks = heartbeatChecks(given?.token, origin);
    const results = await runChecks(publicApi(url, heartbeatTimeout), checks, { attempts: 2 });
    observe(needsToken && given === undefined ? [...results, withoutToken] : results, given?.expiresAt);
  };
