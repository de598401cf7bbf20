import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { heartbeatToken } from './heartbeatToken.ts';
import type { CheckResult } from './runChecks.ts';

export const heartbeatDependencies = (source: Source) => ({
  url: requiredVariable(source, variables.url),
  /** The last one, because API Gateway sends the first one whatever the request says. */
  origin: source[variables.corsOrigins]?.split(',').at(-1),
  token: heartbeatToken(source),
  needsToken: source[variables.heartbeatToken] !== undefined,
  observe: (results: readonly CheckResult[]): void => {
    const table = source[variables.table];
    const failures = results.flatMap(({ failure }) => failure ?? []);
    const durations = results.map(({ duration }) => duration);
    reportCount(metricNames.heartbeatFailures, failures.length, { message: 'heartbeat', table, failures, durations });
  },
});
