import type { EpochMs } from '../../lib/item/epoch.ts';
import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { heartbeatChecks } from './checks.ts';
import { heartbeatToken } from './heartbeatToken.ts';
import { type CheckResult, runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';

/** How long before its token expires the heartbeat reports that, in milliseconds. */
const notice = 30 * 86_400_000;

export const heartbeatDependencies = (source: Source) => ({
  url: requiredVariable(source, variables.url),
  /** The last one, because API Gateway sends the first one whatever the request says. */
  origin: source[variables.corsOrigins]?.split(',').at(-1),
  token: heartbeatToken(source),
  needsToken: source[variables.heartbeatToken] !== undefined,
  /** @param expiresAt when the token expires; undefined if there is none */
  observe: (results: readonly CheckResult[], expiresAt: EpochMs | undefined): void => {
    const table = source[variables.table];
    const failures = results.flatMap(({ failure }) => failure ?? []);
    const durations = results.map(({ duration }) => duration);
    const isExpiring = expiresAt !== undefined && expiresAt < Date.now() + notice;
    const entry = { message: 'heartbeat', table, failures, durations };
    reportCount(
      metricNames.heartbeatFailures,
      failures.length,
      entry,
      isExpiring ? { [metricNames.expiringToken]: 1 } : {},
    );
  },
});

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
